/** Methods that step several episodes of a world at a time. Each episode is a task of the world's log, in compact form. */
import { Effect, Schema } from "effect"
import { Autoreset } from "../../../events/vocabulary/Worlds.ts"
import { defined } from "../../../values/defined.ts"
import { Json, JsonObject } from "../../../values/Json.ts"
import * as Method from "../Method.ts"
import type { OpenedVector } from "../OpenedWorlds.ts"

const { optional } = Method

const Making = Schema.Struct({
  world: Schema.String,
  count: Schema.Number,
  log: optional(Schema.String),
  autoreset: optional(Autoreset),
  options: optional(JsonObject),
  policy: optional(Schema.String),
  gate: optional(Schema.Literal("ask", "allow", "deny")),
  sandbox: optional(Schema.Literal("auto", "namespaces", "flags")),
  trust: optional(Schema.Boolean),
})

const DEFAULTS = { gate: "ask", sandbox: "auto", trust: false } as const

/** Answers the vector's number. Its process starts at once. */
const made = Method.make("vector.make", Making, (given, { worlds }) =>
  Effect.map(worlds.openVector({ ...DEFAULTS, ...given }), ({ number, vector, plugin, filename }) => ({
    vector: number,
    name: plugin,
    count: vector.count,
    autoreset: vector.autoreset,
    spaces: vector.spaces,
    log: filename,
  })),
)

interface OfVector {
  readonly vector: number
}

/** A method of an open vector. The answer also has the tasks of the slots. */
const ofVector = <Fields extends Schema.Struct.Fields, A extends object, E>(
  name: string,
  fields: Fields,
  run: (opened: OpenedVector, params: Schema.Struct.Type<Fields>) => Effect.Effect<A, E>,
): Method.Method => {
  const params = Schema.Struct({ vector: Schema.Number, ...fields }) as unknown as Schema.Schema<
    OfVector & Schema.Struct.Type<Fields>
  >
  return Method.make(name, params, (given, { worlds }) =>
    Effect.flatMap(worlds.findVector(given.vector), (opened) =>
      Effect.map(run(opened, given), (answer) => ({ ...answer, tasks: opened.vector.taskIds() })),
    ),
  )
}

const Seeds = Schema.Union(Schema.Number, Schema.Array(Schema.Number))

const reset = ofVector(
  "vector.reset",
  { seed: optional(Seeds), mask: optional(Schema.Array(Schema.Boolean)) },
  ({ vector }, { seed, mask }) => vector.reset(defined({ seed, mask })),
)

const step = ofVector("vector.step", { actions: Schema.Array(Json) }, ({ vector }, { actions }) => vector.step(actions))

const close = Method.make("vector.close", Schema.Struct({ vector: Schema.Number }), ({ vector }, { worlds }) =>
  worlds.closeVector(vector),
)

export const METHODS: ReadonlyArray<Method.Method> = [made, reset, step, close]
