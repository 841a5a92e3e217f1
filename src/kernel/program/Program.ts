/** The plugin of the embedding program: the declarations of its tools and sensors, and the functions behind them. */

import { Context, type Effect, Either } from "effect"
import { type Actuator, actuatorsOf, type Manifest, sensorsOf } from "../../plugins/manifest/Manifest.ts"
import { digest } from "../../values/Digest.ts"
import { defined } from "../../values/defined.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { asJson } from "../registry/ImportEvents.ts"
import { type Declaration, IN_PROCESS, PROGRAM } from "../registry/InProcess.ts"
import type { AgentCall } from "./AgentCall.ts"
import * as DataSchema from "./DataSchema.ts"
import type { KeyedCommand, ToolContext } from "./ProgramFunction.ts"
import * as ProgramOptions from "./ProgramOptions.ts"
import type { Sensors } from "./Sensor.ts"
import type { Tools } from "./Tool.ts"

export interface ProgramPlugin extends Declaration {
  /** By name: tools and sensors share no names. */
  readonly functions: ReadonlyMap<string, ProgramFunction>
  readonly services: Context.Context<never>
}

/** The function of a tool or sensor, with its schemas. A sensor ignores its arguments. */
export interface ProgramFunction {
  readonly decode: (args: Json) => Effect.Effect<unknown, string>
  readonly run: (args: unknown, context: ToolContext) => unknown
  readonly encode: (answer: unknown) => Effect.Effect<unknown, string>
  readonly settle?: ((commandId: string, args: unknown, context: ToolContext) => unknown) | undefined
  /** Default: the command's id. */
  readonly idempotencyKey?: ((args: unknown, command: KeyedCommand) => string) | undefined
  /** The agent that it calls instead of `run`. */
  readonly calls?: AgentCall | undefined
}

/** The plugin of the embedding program. Default: none, so that a recorded one cannot be called. */
export class Program extends Context.Reference<Program>()("hindcast/Program", {
  defaultValue: (): ProgramPlugin | undefined => undefined,
}) {}

export interface ProgramSpec {
  readonly tools: Tools
  readonly sensors: Sensors
  readonly services: Context.Context<never>
}

/** Returns undefined if the program declares no tools and sensors. */
export const make = ({ tools, sensors, services }: ProgramSpec): ProgramPlugin | undefined => {
  const actuators = ProgramOptions.toolsByName(tools)
  const readable = ProgramOptions.sensorsByName(sensors)
  return actuators.length + readable.length === 0 ? undefined : pluginOf(actuators, readable, services)
}

export const pluginOf = (
  actuators: ReturnType<typeof ProgramOptions.toolsByName>,
  readable: ReturnType<typeof ProgramOptions.sensorsByName>,
  services: Context.Context<never>,
): ProgramPlugin => {
  const peas = {
    performance: [],
    actuators: actuators.map(([name, tool]) => actuatorOf(name, tool)),
    sensors: readable.map(([name, sensor]) => sensorOf(name, sensor)),
  }
  const declared = digest(asJson(peas))
  return {
    manifest: {
      name: PROGRAM,
      description: "The tools and sensors of the embedding program",
      peas,
      // Only declarations have versions: code is neither copied nor digested.
      version: declared.slice(0, VERSION_LENGTH),
      entry: IN_PROCESS,
      permissions: { read: [], run: [] },
      // They share the program's event loop, and one that waits must not hold up the others.
      concurrent: true,
    },
    digest: declared,
    functions: new Map<string, ProgramFunction>([
      ...actuators.map(([name, { args, result, run, settle, idempotencyKey, calls }]) => {
        return [name, { ...functionOf(args, run, result), settle, idempotencyKey, calls }] as const
      }),
      ...readable.map(([name, { reading, read }]) => {
        return [name, functionOf(undefined, (_, context) => read(context), reading)] as const
      }),
    ]),
    services,
  }
}

const VERSION_LENGTH = 12

const functionOf = (
  args: DataSchema.DataSchema | undefined,
  run: ProgramFunction["run"],
  answer: DataSchema.DataSchema | undefined,
): ProgramFunction => ({ decode: DataSchema.decodeBy(args), run, encode: DataSchema.encodeBy(answer) })

export const declaresAlike = (one: Manifest, other: Manifest, name: string): boolean => {
  const digestIn = (manifest: Manifest) => {
    const found = [...actuatorsOf(manifest), ...sensorsOf(manifest)].find((component) => component.name === name)
    return found === undefined ? undefined : digest(asJson(found))
  }
  return digestIn(one) === digestIn(other)
}

const actuatorOf = (
  name: string,
  {
    description,
    args,
    result,
    run: _,
    settle: _settle,
    calls: _calls,
    idempotencyKey,
    ...declared
  }: ProgramOptions.ToolFields,
): Actuator => ({
  name,
  description,
  ...declared,
  ...(idempotencyKey === undefined ? {} : { idempotencyKey: true }),
  ...(args === undefined ? {} : { args: jsonSchemaOf(args, "received") }),
  ...(result === undefined ? {} : { result: jsonSchemaOf(result, "returned") }),
})

const sensorOf = (
  name: string,
  { description, reading, every, read: _, ...declared }: ProgramOptions.SensorFields,
) => ({
  name,
  description,
  ...declared,
  ...(reading === undefined ? {} : { reading: jsonSchemaOf(reading, "returned") }),
  ...defined({ interval: every }),
})

const jsonSchemaOf = (schema: DataSchema.DataSchema, side: DataSchema.Side): JsonObject =>
  Either.getOrThrowWith(DataSchema.jsonSchemaOf(schema, side), (reason) => new Error(reason))
