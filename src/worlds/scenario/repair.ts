/** Removes known mistakes from a scenario, so that one pass also finds the others. */

import type { Json, JsonObject } from "../../values/Json.ts"

/** A step that no task reaches. */
const NEVER = 1_000_000_000

const NEVER_MET = { type: "max_steps_reached", steps: NEVER }
const NEVER_HAPPENS = {
  trigger: { type: "step_reached", steps: NEVER },
  response: { type: "log_milestone", milestone_name: "_" },
}

/** Required texts, which are replaced instead of removed. */
const TEXTS: ReadonlySet<string> = new Set([
  ...["scenario_name", "environment_type", "version", "description", "agent_id"],
])

/** A copy of a document in which the parts at some paths are removed or replaced by harmless ones. */
export const repaired = (document: Json, paths: ReadonlyArray<ReadonlyArray<PropertyKey>>): Json =>
  paths.reduce<Json>((whole, path) => {
    const [first, second] = path.map(String)
    if (first === undefined) return whole
    const isItem = second !== undefined && /^\d+$/.test(second)
    if (first === "win_conditions") {
      return isItem ? replaced(whole, [first, second], NEVER_MET) : replaced(whole, [first], [NEVER_MET])
    }
    if (first === "lose_conditions" && isItem) return replaced(whole, [first, second], NEVER_MET)
    if (first === "events" && isItem) return replaced(whole, [first, second], NEVER_HAPPENS)
    const keys = path.map(String)
    const last = keys.at(-1) ?? ""
    if (TEXTS.has(last)) return replaced(whole, keys, "_")
    // Removing an item would shift the others, so the whole list goes.
    return replaced(whole, /^\d+$/.test(last) ? keys.slice(0, -1) : keys, undefined)
  }, document)

/** A copy with another value at a path; undefined removes the field. */
const replaced = (value: Json, keys: ReadonlyArray<string>, other: Json | undefined): Json => {
  const [key, ...rest] = keys
  if (key === undefined) return other ?? null
  if (typeof value !== "object" || value === null) return value
  if (isList(value)) {
    return value.map((item, index) => (String(index) === key ? replaced(item, rest, other) : item))
  }
  const { [key]: old, ...others } = value
  if (rest.length > 0) return old === undefined ? value : { ...others, [key]: replaced(old, rest, other) }
  return other === undefined ? others : { ...others, [key]: other }
}

const isList = (value: ReadonlyArray<Json> | JsonObject): value is ReadonlyArray<Json> => Array.isArray(value)
