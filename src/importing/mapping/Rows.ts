/** The records of a line or document: itself, or with `each` the items of its lists, and then itself without them. */

import { contentIdOf } from "../runs/RecordKeys.ts"
import type { Reader } from "./Expressions.ts"

/** A record. */
export interface Row {
  /** What expressions and pointers read: the item, with `_whole` and `_index`. */
  readonly record: object
  /** The item as it is. */
  readonly item: object
  /** The run that it is of, where it names none and a file is not one run. */
  readonly run: string | undefined
}

/**
 * Divides a line or document. The items of a document that is a list are as lines. With `each`, each line is a run of its own, which is
 * known by what is in it.
 */
export const rowsOf = (value: unknown, each: ReadonlyArray<Reader>, isLine: boolean): ReadonlyArray<Row> => {
  if (!isLine && Array.isArray(value)) return value.flatMap((item) => rowsOf(item, each, true))
  if (typeof value !== "object" || value === null) return []
  return itemsIn(value, each, isLine && each.length > 0 ? contentIdOf(value) : undefined)
}

const itemsIn = (
  whole: object,
  [list, ...inner]: ReadonlyArray<Reader>,
  run: string | undefined,
): ReadonlyArray<Row> => {
  if (list === undefined) return [{ record: whole, item: whole, run }]
  const items = list(whole)
  if (!Array.isArray(items)) return [{ record: whole, item: whole, run }]
  const rest = without(whole, items)
  const rows = items.flatMap((item: unknown, index) => {
    const own = typeof item === "object" && item !== null && !Array.isArray(item) ? item : { value: item }
    return itemsIn(own, inner, run).map((row): Row => {
      const isItself = row.item === own || !("_whole" in row.record)
      return { ...row, record: isItself ? { ...row.record, _whole: rest, _index: index } : row.record }
    })
  })
  return Object.keys(rest).length === 0 ? rows : [...rows, { record: rest, item: rest, run }]
}

/** An object without one of its values, however deep. */
const without = (of: object, list: unknown): object =>
  Object.fromEntries(
    Object.entries(of).flatMap(([key, value]): ReadonlyArray<readonly [string, unknown]> => {
      if (value === list) return []
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
      return [[key, isObject ? without(value, list) : value]]
    }),
  )
