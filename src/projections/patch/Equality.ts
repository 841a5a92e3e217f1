import type { Json } from "../../values/Json.ts"

/** Whether a JSON value is a list; narrows read-only ones, as `Array.isArray` does not. */
export const isArray = (value: Json | undefined): value is ReadonlyArray<Json> => Array.isArray(value)

/** Whether two values are the same JSON. */
export const equal = (a: Json | undefined, b: Json | undefined): boolean =>
  foundEqual(a, b, { left: Number.POSITIVE_INFINITY })

/** How many more values may be compared. */
export interface Effort {
  left: number
}

/**
 * Whether two values are found to be the same JSON with what is left of an effort, which this uses up. Once it is spent,
 * nothing is found to be the same any more.
 */
export const foundEqual = (a: Json | undefined, b: Json | undefined, effort: Effort): boolean => {
  if (effort.left-- <= 0) return false
  if (a === b) return true
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
  if (isArray(a) || isArray(b)) {
    return (
      isArray(a) && isArray(b) && a.length === b.length && a.every((item, index) => foundEqual(item, b[index], effort))
    )
  }
  const keys = Object.keys(a)
  const others = Object.keys(b)
  // To list an object's keys takes as long as to compare as many values.
  effort.left -= keys.length + others.length
  return (
    keys.length === others.length && keys.every((key) => Object.hasOwn(b, key) && foundEqual(a[key], b[key], effort))
  )
}
