/** Applies changes to a state without mutating it. Unchanged parts are shared between the states before and after. */
import { type Json, type JsonObject, pointerKeys } from "../../../values/Json.ts"
import type { Change } from "../../wire/CourseSlice.ts"

/** The state after a change. Ignores a change of a place that does not exist. */
export const applied = (state: Json, change: Change): Json => {
  const keys = pointerKeys(change.path)
  return changed(state, keys, 0, change)
}

const changed = (value: Json, keys: ReadonlyArray<string>, depth: number, change: Change): Json => {
  const key = keys[depth]
  if (key === undefined) return change.op === "remove" ? null : change.value
  if (typeof value !== "object" || value === null) return value
  const isLast = depth === keys.length - 1
  if (isList(value)) {
    const items = [...value]
    const index = key === "-" ? items.length : Number(key)
    if (!Number.isInteger(index) || index < 0 || index > items.length) return value
    if (!isLast) items[index] = changed(items[index] ?? null, keys, depth + 1, change)
    else if (change.op === "remove") items.splice(index, 1)
    else if (change.op === "add") items.splice(index, 0, change.value)
    else items[index] = change.value
    return items
  }
  const inner = Object.hasOwn(value, key) ? value[key] : undefined
  if (isLast && change.op === "remove")
    return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))
  if (!isLast && inner === undefined) return value
  const next = isLast && change.op !== "remove" ? change.value : changed(inner ?? null, keys, depth + 1, change)
  // A computed key in a literal defines an own property, even for `__proto__`.
  return { ...(value as JsonObject), [key]: next }
}

const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)
