/** Which state a binary search tests next, and what its verdicts amount to. States have indexes from 0 on. Pure. */

import type { Verdict } from "./Verdict.ts"

export type Verdicts = ReadonlyMap<number, Verdict>

/** The search goes on between a good state and a later bad one. */
export interface Bounds {
  readonly good: number
  readonly bad: number
}

/** The earliest bad state and the last good one before it; undefined while the first or the last state has no verdict. */
export const bounds = (verdicts: Verdicts, count: number): Bounds | undefined => {
  if (verdicts.get(0) !== "good" || verdicts.get(count - 1) !== "bad") return undefined
  let bad = count - 1
  for (const [index, verdict] of verdicts) if (verdict === "bad" && index < bad) bad = index
  let good = 0
  for (const [index, verdict] of verdicts) if (verdict === "good" && index < bad && index > good) good = index
  return { good, bad }
}

/** Good states after a bad one: the search assumes that there are none. In order. */
export const goodAfterBad = (verdicts: Verdicts): ReadonlyArray<number> => {
  const bad = Math.min(...[...verdicts].flatMap(([index, verdict]) => (verdict === "bad" ? [index] : [])))
  return [...verdicts]
    .flatMap(([index, verdict]) => (verdict === "good" && index > bad ? [index] : []))
    .sort((one, other) => one - other)
}

/** The states whose verdicts can still change the answer. */
export const isOpen = ({ good, bad }: Bounds, verdicts: Verdicts, index: number): boolean =>
  index > good && index < bad && !verdicts.has(index)

/**
 * At most `wanted` states to test now, the most useful first: the middle, then the middles of both halves, so that
 * several tests at once shorten the search whatever the first one says. `running` are tests in progress.
 */
export const next = (
  found: Bounds,
  verdicts: Verdicts,
  running: ReadonlySet<number>,
  wanted: number,
): ReadonlyArray<number> => {
  const chosen: Array<number> = []
  const pending = [found]
  for (let half = pending.shift(); half !== undefined && chosen.length < wanted; half = pending.shift()) {
    const middle = middleOf(half, verdicts)
    if (middle === undefined) continue
    if (!running.has(middle)) chosen.push(middle)
    pending.push({ good: half.good, bad: middle }, { good: middle, bad: half.bad })
  }
  return chosen
}

/** The state without a verdict that is nearest to the middle. Others there were skipped. */
const middleOf = (half: Bounds, verdicts: Verdicts): number | undefined => {
  const middle = Math.floor((half.good + half.bad) / 2)
  for (let distance = 0; distance <= half.bad - half.good; distance++)
    for (const index of [middle - distance, middle + distance]) if (isOpen(half, verdicts, index)) return index
  return undefined
}
