import type { Json } from "../../values/Json.ts"
import { type Effort, foundEqual } from "./Equality.ts"

/** An item that two lists have in common: its place in the one and in the other. */
export type Match = readonly [number, number]

/** The longest common subsequence takes a table of two lengths' product; beyond this, about 64 × 64, it is not sought. */
const MAX_TABLE = 4_096

/**
 * Where one list goes on in another, in order: what they have in common at their beginnings and ends, and between these
 * the longest common subsequence where it is cheap. What the effort does not suffice for is not found.
 */
export const align = (a: ReadonlyArray<Json>, b: ReadonlyArray<Json>, effort: Effort): ReadonlyArray<Match> => {
  const same = (i: number, j: number) => foundEqual(a[i], b[j], effort)
  const shorter = Math.min(a.length, b.length)
  let head = 0
  while (head < shorter && same(head, head)) head++
  let tail = 0
  while (tail < shorter - head && same(a.length - 1 - tail, b.length - 1 - tail)) tail++

  const matches = Array.from({ length: head }, (_, index): Match => [index, index])
  const rows = a.length - head - tail
  const columns = b.length - head - tail
  if (rows * columns <= MAX_TABLE && effort.left > 0) {
    for (const [i, j] of longestCommon(rows, columns, (i, j) => same(head + i, head + j))) {
      matches.push([head + i, head + j])
    }
  }
  for (let left = tail; left > 0; left--) matches.push([a.length - left, b.length - left])
  return matches
}

/** The longest common subsequence of two lists of these lengths. */
const longestCommon = (
  rows: number,
  columns: number,
  same: (i: number, j: number) => boolean,
): ReadonlyArray<Match> => {
  const width = columns + 1
  // At i, j: how much the lists have in common from there on.
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
