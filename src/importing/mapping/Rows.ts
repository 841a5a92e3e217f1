/** Splits a line or document into records: itself, or with `each` the items of its lists, followed by the rest. */

import { contentIdOf } from "../runs/RecordKeys.ts"
import type { Reader } from "./Expressions.ts"

export interface Row {
  /** The input of pointers and expressions: the item with `_whole` and `_index`. */
  readonly record: object
  readonly item: object
  /** The run, unless the item names one or the file is one run. */
  readonly run: string | undefined
}

/** Tracks whether any record has each of the nested lists, and what was there instead. */
export class FoundLists {
  readonly #found: Array<boolean>
  readonly #instead: Array<string | undefined>

  constructor(levels: number) {
    this.#found = Array.from({ length: levels }, () => false)
    this.#instead = Array.from({ length: levels }, () => undefined)
  }

  get areAll(): boolean {
    return this.#found.every(Boolean)
  }

  take(level: number, value: unknown): void {
    if (Array.isArray(value)) this.#found[level] = true
    else this.#instead[level] ??= value === undefined ? undefined : kindOf(value)
  }

  /** The first list that no record has. */
  get missing(): { readonly level: number; readonly found: string } | undefined {
    const level = this.#found.indexOf(false)
    return level < 0 ? undefined : { level, found: this.#instead[level] ?? "nothing there" }
  }
}

const kindOf = (value: unknown): string =>
  value === null ? "null" : typeof value === "object" ? "an object" : `a ${typeof value}`

/**
 * Splits a line or document. Items of a document that is a list count as lines. With `each`, each line is a run with an
 * id derived from its content.
 */
export const rowsOf = (
  value: unknown,
  each: ReadonlyArray<Reader>,
  isLine: boolean,
  lists: FoundLists,
): ReadonlyArray<Row> => {
  if (!isLine && Array.isArray(value)) return value.flatMap((item) => rowsOf(item, each, true, lists))
  if (typeof value !== "object" || value === null) return []
  return itemsIn(value, each, isLine && each.length > 0 ? contentIdOf(value) : undefined, lists)
}

const itemsIn = (
  whole: object,
  [list, ...inner]: ReadonlyArray<Reader>,
  run: string | undefined,
  lists: FoundLists,
  level = 0,
): ReadonlyArray<Row> => {
  if (list === undefined) return [{ record: whole, item: whole, run }]
  const items = list(whole)
  lists.take(level, items)
  if (!Array.isArray(items)) return [{ record: whole, item: whole, run }]
  const rest = without(whole, items)
  const rows = items.flatMap((item: unknown, index) => {
    const own = typeof item === "object" && item !== null && !Array.isArray(item) ? item : { value: item }
    return itemsIn(own, inner, run, lists, level + 1).map((row): Row => {
      const isItself = row.item === own || !("_whole" in row.record)
      return { ...row, record: isItself ? { ...row.record, _whole: rest, _index: index } : row.record }
    })
  })
  return Object.keys(rest).length === 0 ? rows : [...rows, { record: rest, item: rest, run }]
}

/** Maximum depth at which a list is removed from its record. */
const MAX_DEPTH = 100

const without = (of: object, list: unknown, depth = 0): object =>
  Object.fromEntries(
    Object.entries(of).flatMap(([key, value]): ReadonlyArray<readonly [string, unknown]> => {
      if (value === list) return []
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value) && depth < MAX_DEPTH
      return [[key, isObject ? without(value, list, depth + 1) : value]]
    }),
  )
