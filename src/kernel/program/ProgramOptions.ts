/** Schemas of the options `tools` and `sensors`, with checks for all mistakes in them. */

import { Schema } from "effect"
import { textIssues } from "../../plugins/manifest/characterChecks.ts"
import { ComponentId, Risk, TimeoutMs } from "../../plugins/manifest/Manifest.ts"
import { CacheFor, contradictions, MaxResultBytes, Retry } from "../../plugins/manifest/policies/ToolPolicies.ts"
import { JsonObject, pointerKeys } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import { AgentCall } from "./AgentCall.ts"
import * as DataSchema from "./DataSchema.ts"
import type { CallContext, KeyedCommand, ToolContext } from "./ProgramFunction.ts"
import type { Sensors } from "./Sensor.ts"
import type { Tools } from "./Tool.ts"

/** A tool's options, without the types of its arguments and result. */
export interface ToolFields {
  readonly description: string
  readonly args?: DataSchema.DataSchema
  readonly result?: DataSchema.DataSchema
  readonly risk?: Risk
  readonly idempotent?: boolean
  readonly concurrent?: boolean
  readonly sequential?: boolean
  readonly retry?: Retry
  readonly maxResultBytes?: number
  readonly cacheFor?: number
  readonly idempotencyKey?: (args: unknown, command: KeyedCommand) => string
  readonly priority?: number
  readonly timeout?: number
  readonly metadata?: JsonObject
  readonly run: (args: unknown, context: ToolContext) => unknown
  readonly settle?: (commandId: string, args: unknown, context: ToolContext) => unknown
  /** The agent that it calls instead of `run`. */
  readonly calls?: AgentCall
}

/** A sensor's options, without the type of its reading. */
export interface SensorFields {
  readonly description: string
  readonly reading?: DataSchema.DataSchema
  readonly every?: number
  readonly priority?: number
  readonly timeout?: number
  readonly metadata?: JsonObject
  readonly read: (context: CallContext) => unknown
}

const shared = { priority: Schema.Finite, timeout: TimeoutMs, metadata: JsonObject }

const ToolFields = Options.of<ToolFields>({
  required: { description: Options.Text, run: Options.callable<ToolFields["run"]>() },
  optional: {
    ...shared,
    args: DataSchema.DataSchema,
    result: DataSchema.DataSchema,
    risk: Risk,
    idempotent: Schema.Boolean,
    concurrent: Schema.Boolean,
    sequential: Schema.Boolean,
    retry: Retry,
    maxResultBytes: MaxResultBytes,
    cacheFor: CacheFor,
    idempotencyKey: Options.callable<NonNullable<ToolFields["idempotencyKey"]>>(),
    settle: Options.callable<NonNullable<ToolFields["settle"]>>(),
    calls: AgentCall,
  },
}).annotations({ description: "a tool: Tool.make({ description, run, … })" })

const SensorFields = Options.of<SensorFields>({
  required: { description: Options.Text, read: Options.callable<SensorFields["read"]>() },
  optional: { ...shared, reading: DataSchema.DataSchema, every: Options.Milliseconds },
}).annotations({ description: "a sensor: Sensor.make({ description, read, … })" })

export const toolsByName = (tools: Tools): ReadonlyArray<readonly [name: string, ToolFields]> =>
  Object.entries(tools as unknown as { readonly [name: string]: ToolFields }).sort(byName)

export const sensorsByName = (sensors: Sensors): ReadonlyArray<readonly [name: string, SensorFields]> =>
  Object.entries(sensors as unknown as { readonly [name: string]: SensorFields }).sort(byName)

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]) => (one < other ? -1 : 1)

/** Schema of the option `tools`. Run `ComponentSchemas.load` first. */
// A tool's type hides its fields, and says which services it needs.
export const ToolOptions = Options.checking(
  Schema.Record({ key: Schema.String, value: ToolFields }).annotations({ description: "an object of tools by name" }),
  (tools) =>
    mistakesIn(tools, (tool) => [
      ...inSchema(tool, "args", DataSchema.argsMistakes),
      ...inSchema(tool, "result", returnMistakes),
      ...contradictions((name) => Reflect.get(tool, name)).map(({ field, expected, found }) => ({
        keys: [field],
        expected,
        found,
      })),
    ]),
) as unknown as Schema.Schema<Tools>

/** Schema of the option `sensors`. Run `ComponentSchemas.load` first. */
export const SensorOptions = Options.checking(
  Schema.Record({ key: Schema.String, value: SensorFields }).annotations({
    description: "an object of sensors by name",
  }),
  (sensors) => mistakesIn(sensors, (sensor) => inSchema(sensor, "reading", returnMistakes)),
) as unknown as Schema.Schema<Sensors>

const returnMistakes = (schema: DataSchema.DataSchema) => DataSchema.mistakes(schema, "returned")

export const sharedNames = (options: unknown): ReadonlyArray<Options.Found> =>
  Object.keys(recordOf(Reflect.get(recordOf(options), "sensors"))).flatMap((name) =>
    Object.hasOwn(recordOf(Reflect.get(recordOf(options), "tools")), name)
      ? [
          {
            keys: ["sensors", name],
            expected: "each tool and sensor to have a name of its own, because both are called `program/name`",
            found: `${JSON.stringify(name)}, which a tool has already`,
          },
        ]
      : [],
  )

const mistakesIn = (
  components: unknown,
  mistakesOf: (component: object) => ReadonlyArray<Options.Found>,
): ReadonlyArray<Options.Found> =>
  Object.entries(recordOf(components)).flatMap(([name, component]) =>
    [...nameMistakes(name), ...textMistakes(component), ...mistakesOf(recordOf(component))].map((mistake) => ({
      ...mistake,
      keys: [name, ...mistake.keys],
    })),
  )

const nameMistakes = (name: string): ReadonlyArray<Options.Found> => {
  const expected = 'a name of at most 64 characters, without spaces, "/" and invisible characters'
  const isName = isComponentId(name) && textIssues({ name }).length === 0
  return isName ? [] : [{ keys: [], expected, found: JSON.stringify(name) }]
}

const textMistakes = (component: unknown): ReadonlyArray<Options.Found> => {
  const description: unknown = Reflect.get(recordOf(component), "description")
  if (typeof description !== "string") return []
  return textIssues({ description }).map(({ path, expected, found }) => ({ keys: pointerKeys(path), expected, found }))
}

const inSchema = (
  component: object,
  field: string,
  mistakesOf: (schema: DataSchema.DataSchema) => ReadonlyArray<Options.Found>,
): ReadonlyArray<Options.Found> => {
  const schema: unknown = Reflect.get(component, field)
  if (!isDataSchema(schema)) return []
  return mistakesOf(schema).map((mistake) => ({ ...mistake, keys: [field, ...mistake.keys] }))
}

const isComponentId = Schema.is(ComponentId)
const isDataSchema = Schema.is(DataSchema.DataSchema)

const recordOf = (value: unknown): object =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : {}
