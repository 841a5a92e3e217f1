/** The rows of two conversations next to each other, from the alignment of their events. */
import { begins } from "../../../../projections/conversation/Role.ts"
import type { Comparison } from "../../../wire/Asking.ts"
import { type CourseOfTask, lastNotAbove } from "../Course.ts"

/** The positions with which the items of a row begin; 0 for a side without one. */
export interface SideBySide {
  readonly a: number
  readonly b: number
  /** Whether the alignment has matched the two: then they can be compared by their words. */
  readonly isMatched: boolean
}

export interface TwoTalks {
  readonly rows: ReadonlyArray<SideBySide>
  /** The row with the first decision that differs; null if none does. */
  readonly split: number | null
}

/** The pairs of the shared history, which the alignment leaves out, and then its own. */
export const withShared = (
  { pairs, shared }: Comparison,
  positions: ReadonlyArray<number>,
): { readonly rows: Comparison["pairs"]; readonly before: number } => {
  const common = positions.slice(0, lastNotAbove(positions, shared) + 1)
  return { rows: [...common.map((position) => ["=", position, position] as const), ...pairs], before: common.length }
}

/** Items of one side alone stand next to those of the other side until the next match. */
export const twoTalks = (comparison: Comparison, inA: CourseOfTask, inB: CourseOfTask): TwoTalks => {
  const rows: Array<SideBySide> = []
  let [onlyA, onlyB]: [Array<number>, Array<number>] = [[], []]
  const settle = () => {
    for (let at = 0; at < Math.max(onlyA.length, onlyB.length); at++)
      rows.push({ a: onlyA[at] ?? 0, b: onlyB[at] ?? 0, isMatched: false })
    onlyA = []
    onlyB = []
  }
  const { rows: pairs, before } = withShared(comparison, inA.positions)
  for (const [, a, b] of pairs) {
    const [isInA, isInB] = [isItem(inA, a), isItem(inB, b)]
    if (isInA && isInB) {
      settle()
      rows.push({ a, b, isMatched: true })
    } else if (isInA) onlyA.push(a)
    else if (isInB) onlyB.push(b)
  }
  settle()
  const parting = comparison.split === null ? undefined : pairs[before + comparison.split]
  return { rows, split: parting === undefined ? null : rowOf(rows, parting) }
}

const isItem = (course: CourseOfTask, position: number): boolean =>
  position !== 0 && begins(course.roleAt(course.indexAt(position)))

/** The last row that begins at or before the events of a pair. */
const rowOf = (rows: ReadonlyArray<SideBySide>, [, inA, inB]: Comparison["pairs"][number]): number =>
  Math.max(
    0,
    rows.findLastIndex(({ a, b }) => (inA !== 0 && a !== 0 && a <= inA) || (inB !== 0 && b !== 0 && b <= inB)),
  )
