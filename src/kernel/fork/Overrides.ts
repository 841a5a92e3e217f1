/** The changes that a fork makes to its parent's past. */

import { Data, Effect, Schema } from "effect"
import * as ComponentSchemas from "../../plugins/schemas/ComponentSchemas.ts"
import { Json, type JsonObject } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import * as Options from "../../values/Options.ts"

/** The changes of a fork. Everything else is as at the fork point. */
export interface Overrides {
  /** Seeds the agent's randomness. Default: the task's seed. */
  readonly seed?: number
  /** The agent's goal, from its start. */
  readonly goal?: string
  /** The first readings of sensors in the fork, by `plugin/sensor`. Later readings are true. */
  readonly readings?: { readonly [sensor: string]: Json }
  /**
   * Changes of environments' documents, by plugin: JSON Merge Patches (RFC 7396). The plugin must support snapshots.
   */
  readonly world?: { readonly [plugin: string]: Json }
}

const byName = Schema.Record({ key: Schema.String, value: Json })

/** Schema of `Overrides`. `check` compares it with the task. */
export const Overrides = Options.of<Overrides>({
  optional: { seed: Options.Seed, goal: Options.Text, readings: byName, world: byName },
})

export interface Overridable {
  readonly sensors: ReadonlyArray<string>
  readonly plugins: ReadonlyArray<string>
  /** Whether plugins execute commands. If not, environments cannot be overridden. */
  readonly live: boolean
}

export const check = (
  { readings = {}, world }: Overrides,
  { sensors, plugins, live }: Overridable,
): Effect.Effect<void, Options.InvalidOptions> => {
  const named = (key: string, by: object) => Object.keys(by).map((name) => ({ name, keys: ["overrides", key, name] }))
  const problems = [
    ...Options.unknownNames("sensor", sensors, named("readings", readings)),
    ...Options.unknownNames("plugin", plugins, named("world", world ?? {})),
    ...(live || world === undefined ? [] : [NOT_RECORDED]),
  ]
  return problems.length === 0 ? Effect.void : new Options.InvalidOptions({ of: "fork", problems })
}

export const checkReadings = (
  readings: NonNullable<Overrides["readings"]>,
  schemaOf: (sensor: string) => JsonObject | undefined,
): Effect.Effect<void, OverrideInvalid> =>
  Effect.gen(function* () {
    if (Object.keys(readings).length === 0) return
    yield* ComponentSchemas.load
    for (const [sensor, reading] of Object.entries(readings)) {
      const wrong = ComponentSchemas.validationError("reading", schemaOf(sensor), reading)
      if (wrong !== undefined) {
        const expected = "a reading that fits the sensor's schema"
        return yield* new OverrideInvalid({ override: `readings/${sensor}`, expected, found: wrong })
      }
    }
  })

const NOT_RECORDED: Options.Problem = {
  path: "overrides.world",
  expected: 'a live fork (`io: "live"`)',
  found: "a recorded one",
}

/** This fork cannot have that override. */
export class OverrideInvalid extends Data.TaggedError("OverrideInvalid")<{
  readonly override: string
  readonly expected: string
  readonly found: string
  readonly consequence?: string
}> {
  override get message() {
    const { override, expected, found, consequence } = this
    return `Override ${override}: expected ${expected}, found ${found}.${consequence === undefined ? "" : ` ${consequence}`}`
  }
}

/** Applies a JSON Merge Patch (RFC 7396): null removes a key, objects are merged, other values replace. */
export const merged = (document: Json | undefined, patch: Json): Json => {
  if (!isObject(patch)) return patch
  const target = isObject(document) ? document : {}
  const kept = Object.entries(target).filter(([key]) => !Object.hasOwn(patch, key))
  const changed = Object.entries(patch).flatMap(([key, value]) =>
    value === null ? [] : [[key, merged(Object.hasOwn(target, key) ? target[key] : undefined, value)] as const],
  )
  return Object.fromEntries([...kept, ...changed])
}
