/** The options `tools` and `sensors`: their schemas, and all that can be wrong with them. */

import { Schema } from "effect"
import { textIssues } from "../../plugins/manifest/characterChecks.ts"
import { ComponentId } from "../../plugins/manifest/Manifest.ts"
import { pointerKeys } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import * as DataSchema from "./DataSchema.ts"
import * as Sensor from "./Sensor.ts"
import * as Tool from "./Tool.ts"

/** Schema of the option `tools`. `ComponentSchemas.load` must have been run, for the schemas of tools. */
// A tool's type hides its fields, and says which services it needs.
export const ToolsByName = Options.checking(
  Schema.Record({ key: Schema.String, value: Tool.Fields }).annotations({ description: "an object of tools by name" }),
  (tools) =>
    mistakesIn(tools, (tool) => [
      ...inSchema(tool, "args", DataSchema.argsMistakes),
      ...inSchema(tool, "result", DataSchema.mistakes),
    ]),
) as unknown as Schema.Schema<Tool.Tools>

/** Schema of the option `sensors`. `ComponentSchemas.load` must have been run, for the schemas of sensors. */
// As above.
export const SensorsByName = Options.checking(
  Schema.Record({ key: Schema.String, value: Sensor.Fields }).annotations({
    description: "an object of sensors by name",
  }),
  (sensors) => mistakesIn(sensors, (sensor) => inSchema(sensor, "reading", DataSchema.mistakes)),
) as unknown as Schema.Schema<Sensor.Sensors>

/** The names that a tool and a sensor share: both are called `program/name`. */
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
  const expected = 'a name of at most 64 characters, without spaces, "/" and what is not seen'
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

/** The value if it is an object, otherwise an empty one: what is no object is reported by its schema. */
const recordOf = (value: unknown): object =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : {}
