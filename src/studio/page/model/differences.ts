/** The differences of two states, value by value. */
import { type Json, type JsonObject, pointerToken } from "../../../values/Json.ts"

/** Undefined means that there is no value. */
export interface Difference {
  readonly path: string
  readonly before: Json | undefined
  readonly after: Json | undefined
}

/** All differing places, in the order of the later state. A part that is new or gone is one difference. */
export const differences = (
  before: Json | undefined,
  after: Json | undefined,
  path = "",
): ReadonlyArray<Difference> => {
  if (before === after) return []
  if (!isObject(before) || !isObject(after) || Array.isArray(before) !== Array.isArray(after)) {
    return same(before, after) ? [] : [{ path, before, after }]
  }
  const keys = [...Object.keys(after), ...Object.keys(before).filter((key) => !Object.hasOwn(after, key))]
  return keys.flatMap((key) => differences(own(before, key), own(after, key), `${path}/${pointerToken(key)}`))
}

const same = (a: Json | undefined, b: Json | undefined): boolean => JSON.stringify(a) === JSON.stringify(b)

const own = (of: JsonObject, key: string): Json | undefined => (Object.hasOwn(of, key) ? of[key] : undefined)

const isObject = (value: Json | undefined): value is JsonObject => typeof value === "object" && value !== null
