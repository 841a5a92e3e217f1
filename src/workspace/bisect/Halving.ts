/**
 * Chooses the next state for a binary search, and computes its result from the marks. States have indexes from 0 on.
 * Pure.
 */

import type { Mark } from "./Mark.ts"

export type Marks = ReadonlyMap<number, Mark>

/** The search continues between a good state and a later bad one. */
export interface Bounds {
  readonly good: number
  readonly bad: number
}

/** The earliest bad state and the last good one before it; undefined while the first or the last state has no mark. */
export const bounds = (marks: Marks, count: number): Bounds | undefined => {
  if (marks.get(0) !== "good" || marks.get(count - 1) !== "bad") return undefined
  let bad = count - 1
  for (const [index, mark] of marks) if (mark === "bad" && index < bad) bad = index
  let good = 0
  for (const [index, mark] of marks) if (mark === "good" && index < bad && index > good) good = index
  return { good, bad }
}

/** Good states after a bad one, which contradict the search's assumption. In order. */
export const goodAfterBad = (marks: Marks): ReadonlyArray<number> => {
  const bad = Math.min(...[...marks].flatMap(([index, mark]) => (mark === "bad" ? [index] : [])))
  return [...marks]
    .flatMap(([index, mark]) => (mark === "good" && index > bad ? [index] : []))
    .sort((one, other) => one - other)
}

/** The states whose marks can still change the answer. */
export const isOpen = ({ good, bad }: Bounds, marks: Marks, index: number): boolean =>
  index > good && index < bad && !marks.has(index)

/**
 * At most `wanted` states to test now, the most useful first: the middle, then the middles of both halves, so that
 * parallel tests shorten the search whatever the first result is. `running` are tests in progress.
 */
export const next = (
  found: Bounds,
  marks: Marks,
  running: ReadonlySet<number>,
  wanted: number,
): ReadonlyArray<number> => {
  const chosen: Array<number> = []
  const pending = [found]
  for (let half = pending.shift(); half !== undefined && chosen.length < wanted; half = pending.shift()) {
    const middle = middleOf(half, marks)
    if (middle === undefined) continue
    if (!running.has(middle)) chosen.push(middle)
    pending.push({ good: half.good, bad: middle }, { good: middle, bad: half.bad })
  }
  return chosen
}

/** The state without a mark that is nearest to the middle; others there were skipped. */
const middleOf = (half: Bounds, marks: Marks): number | undefined => {
  const middle = Math.floor((half.good + half.bad) / 2)
  for (let distance = 0; distance <= half.bad - half.good; distance++)
    for (const index of [middle - distance, middle + distance]) if (isOpen(half, marks, index)) return index
  return undefined
}
