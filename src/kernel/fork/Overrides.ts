import { Data, Effect, Schema } from "effect"
import { isArray } from "../../projections/patch/JsonPatch.ts"
import { Json, type JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"

/** What is otherwise in a fork than it was at that moment. Everything else is as it was. */
export interface Overrides {
  /** Seeds the agent's randomness. Default: the task's. */
  readonly seed?: number
  /** What the agent is told to achieve, from its beginning. */
  readonly goal?: string
  /** What sensors say when they are first read in the fork, by `plugin/sensor`; then they say again what is so. */
  readonly readings?: { readonly [sensor: string]: Json }
  /** What is changed in environments' documents, by plugin: JSON Merge Patches (RFC 7396). Needs a plugin that restores snapshots. */
  readonly world?: { readonly [plugin: string]: Json }
}

const byName = Schema.Record({ key: Schema.String, value: Json })

/** Their schema. What the task at that moment does not have is said by `check`. */
export const Overrides = Options.of<Overrides>({
  optional: { seed: Options.Seed, goal: Options.Text, readings: byName, world: byName },
})

/** What can be otherwise in a fork of a task. */
export interface Overridable {
  readonly sensors: ReadonlyArray<string>
  readonly plugins: ReadonlyArray<string>
  /** Whether plugins carry out what is asked for: where they do not, no world can be another. */
  readonly live: boolean
}

/** Overrides name only what the task has. */
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

const NOT_RECORDED: Options.Problem = {
  path: "overrides.world",
  expected: 'a live fork (`io: "live"`)',
  found: "a recorded one",
}

/** Fix the call: this cannot be otherwise in this fork. */
export class OverrideInvalid extends Data.TaggedError("OverrideInvalid")<{
  readonly override: string
  readonly expected: string
  readonly found: string
}> {
  override get message() {
    return `Override ${this.override}: expected ${this.expected}, found ${this.found}. The fork was closed.`
  }
}

/** A document with a JSON Merge Patch applied (RFC 7396): null removes, objects are merged, all else replaces. */
export const merged = (document: Json | undefined, patch: Json): Json => {
  if (!isObject(patch)) return patch
  const target = isObject(document) ? document : {}
  const kept = Object.entries(target).filter(([key]) => !Object.hasOwn(patch, key))
  const changed = Object.entries(patch).flatMap(([key, value]) =>
    value === null ? [] : [[key, merged(Object.hasOwn(target, key) ? target[key] : undefined, value)] as const],
  )
  return Object.fromEntries([...kept, ...changed])
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !isArray(value)
