/** Aligns two lists of JSON values for `diff`, within a comparison budget. */

import type { Json } from "../../values/Json.ts"
import { type ComparisonBudget, equalWithin } from "./Equality.ts"

/** The indexes of an item that two lists share. */
export type Match = readonly [number, number]

/** Maximum size of the table for the longest common subsequence, the product of both lengths: about 64 × 64. */
const MAX_TABLE = 4_096

/**
 * Returns the items that two lists share, in order: their common prefix and suffix, and between these the longest
 * common subsequence if it is cheap. Once the budget is used up, no further items match.
 */
export const align = (
  a: ReadonlyArray<Json>,
  b: ReadonlyArray<Json>,
  budget: ComparisonBudget,
): ReadonlyArray<Match> => {
  const same = (i: number, j: number) => equalWithin(a[i], b[j], budget)
  const shorter = Math.min(a.length, b.length)
  let head = 0
  while (head < shorter && same(head, head)) head++
  let tail = 0
  while (tail < shorter - head && same(a.length - 1 - tail, b.length - 1 - tail)) tail++

  const matches = Array.from({ length: head }, (_, index): Match => [index, index])
  const rows = a.length - head - tail
  const columns = b.length - head - tail
  if (rows * columns <= MAX_TABLE && budget.left > 0) {
    for (const [i, j] of longestCommon(rows, columns, (i, j) => same(head + i, head + j))) {
      matches.push([head + i, head + j])
    }
  }
  for (let left = tail; left > 0; left--) matches.push([a.length - left, b.length - left])
  return matches
}

const longestCommon = (
  rows: number,
  columns: number,
  same: (i: number, j: number) => boolean,
): ReadonlyArray<Match> => {
  const width = columns + 1
  // At i, j: the length of the longest common subsequence of the rest of both lists.
  const common = new Uint16Array((rows + 1) * width)
  const from = (i: number, j: number) => common[i * width + j] ?? 0
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) {
      common[i * width + j] = same(i, j) ? from(i + 1, j + 1) + 1 : Math.max(from(i + 1, j), from(i, j + 1))
    }
  }
  const matches: Array<Match> = []
  for (let i = 0, j = 0; from(i, j) > 0; ) {
    if (from(i, j) === from(i + 1, j)) i++
    else if (from(i, j) === from(i, j + 1)) j++
    else matches.push([i++, j++])
  }
  return matches
}
