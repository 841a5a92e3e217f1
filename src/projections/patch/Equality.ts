/** Deep equality of JSON values, with an optional budget for comparisons. */

import type { Json } from "../../values/Json.ts"

/** Whether a JSON value is a list. Narrows read-only lists, which `Array.isArray` does not. */
export const isArray = (value: Json | undefined): value is ReadonlyArray<Json> => Array.isArray(value)

/** Whether two values are equal JSON. */
export const equal = (a: Json | undefined, b: Json | undefined): boolean =>
  equalWithin(a, b, { left: Number.POSITIVE_INFINITY })

/** The remaining number of comparisons. */
export interface ComparisonBudget {
  left: number
}

/** Whether two values are equal JSON, within the budget, which the comparison reduces. False once it is used up. */
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
