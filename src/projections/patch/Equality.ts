/** Deep equality of JSON values, with an optional budget that bounds the number of comparisons. */

import type { Json } from "../../values/Json.ts"

/** Whether a JSON value is a list. It narrows read-only lists, which `Array.isArray` does not. */
export const isArray = (value: Json | undefined): value is ReadonlyArray<Json> => Array.isArray(value)

/** Whether two values are equal JSON. */
export const equal = (a: Json | undefined, b: Json | undefined): boolean =>
  equalWithin(a, b, { left: Number.POSITIVE_INFINITY })

/** How many more values may be compared. */
export interface ComparisonBudget {
  left: number
}

/**
 * Whether two values are found to be equal JSON within the remaining budget, which the comparison uses up. Once it is
 * used up, the answer is always false.
 */
export const equalWithin = (a: Json | undefined, b: Json | undefined, budget: ComparisonBudget): boolean => {
  if (budget.left-- <= 0) return false
  if (a === b) return true
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
  if (isArray(a) || isArray(b)) {
    return (
      isArray(a) && isArray(b) && a.length === b.length && a.every((item, index) => equalWithin(item, b[index], budget))
    )
  }
  const keys = Object.keys(a)
  const others = Object.keys(b)
  // Listing an object's keys takes as long as comparing as many values.
  budget.left -= keys.length + others.length
  return (
    keys.length === others.length && keys.every((key) => Object.hasOwn(b, key) && equalWithin(a[key], b[key], budget))
  )
}
