/** The 95 % interval of a mean difference over other tasks of the same kind and its p-value, or why none is given. */

import { Schema } from "effect"
import * as Sum from "../../../values/Sum.ts"
import { areEqual, type Drawing, type Groups, type PValue } from "../Statistics.ts"
import type { Inverted } from "./Inverted.ts"
import { signFlips } from "./SignFlips.ts"
import { studentizedBootstrap } from "./StudentizedBootstrap.ts"

/** With fewer groups than this, nothing is concluded. */
export const MIN_GROUPS = 10

/** An interval, and the method by which it was found, which says what it assumes. */
export const Interval = Schema.Struct({
  low: Schema.Finite,
  high: Schema.Finite,
  method: Schema.Literal("studentized", "score").annotations({
    description:
      "`studentized`: a bootstrap, extended to what flipping signs does not exclude; it assumes that the tasks are drawn at random, and that differences much larger than those seen are not more frequent than these suggest; `score`: of three outcomes (Tango), which assumes that the tasks are drawn at random",
  }),
}).annotations({ identifier: "Interval" })

export type Interval = typeof Interval.Type

/** Why no interval is given, and no p-value. */
export const Refusal = Schema.Struct({
  reason: Schema.Literal("few", "equal", "alike", "unstable").annotations({
    description:
      "`few`: too few groups; `equal`: all differences are the same; `alike`: nearly all are the same; `unstable`: the interval is unbounded",
  }),
  explanation: Schema.String,
}).annotations({ identifier: "IntervalRefusal" })

export type Refusal = typeof Refusal.Type

/** An interval and the p-value of 0, which is below 0.05 exactly where the interval excludes 0; or why there are none. */
export type Estimate =
  | { readonly interval: Interval; readonly noInterval: null; readonly p: PValue }
  | { readonly interval: null; readonly noInterval: Refusal; readonly p: null }

/** So many groups at least must differ from the others, where these are the majority. */
const MIN_UNLIKE = 4

/**
 * The interval of the mean of these differences, and the p-value of a mean of 0.
 *
 * Two tests are inverted. Flipping signs holds for any number of symmetrical differences, also where few are not 0, but
 * not for skewed ones. The studentized bootstrap holds for skewed ones, but not where few differ. The interval reaches
 * over what either does not exclude, and p is the larger one. So the method never depends on what was seen.
 *
 * Where all differences are the same, or all but one to three, they say too little of how often others differ, and by
 * how much: any interval would be too narrow.
 */
export const estimate = (groups: Groups, drawing: Drawing): Estimate => {
  if (groups.length < MIN_GROUPS) return refusal("few", `There are fewer than ${MIN_GROUPS} independent pairs.`)
  const commonest = commonestOf(groups)
  const unlike = groups.length - commonest
  if (unlike === 0) return refusal("equal", ofEqual(groups.length))
  if (commonest > unlike && unlike < MIN_UNLIKE) return refusal("alike", ofAlike(unlike, groups.length))
  const resampled = studentizedBootstrap(groups, drawing)
  if (resampled === null)
    return refusal("unstable", "The differences are too large, or too few are distinct, to bound their mean.")
  const { method, ...flipped } = signFlips(groups, drawing)
  return {
    interval: {
      low: rounded(Math.min(flipped.low, resampled.low)),
      high: rounded(Math.max(flipped.high, resampled.high)),
      method: "studentized",
    },
    noInterval: null,
    p: { value: Math.max(flipped.p, resampled.p), method },
  }
}

/** The interval and p-value of a test of its own. */
export const ofTest = ({ low, high, p }: Inverted, method: Interval["method"]): Estimate => ({
  interval: { low: rounded(low), high: rounded(high), method },
  noInterval: null,
  p: { value: p, method: "exact" },
})

/** Rounds at 1e-9, but an end that excludes 0 not to 0. */
const rounded = (end: number): number => (Sum.round(end) || end) + 0

const refusal = (reason: Refusal["reason"], explanation: string): Estimate => ({
  interval: null,
  noInterval: { reason, explanation },
  p: null,
})

/** In how many groups the commonest mean difference occurs; what only rounding tells apart is the same. */
const commonestOf = (groups: Groups): number => {
  const means = groups.map(meanOf).sort((a, b) => a - b)
  let [most, count] = [0, 0]
  means.forEach((mean, at) => {
    count = at > 0 && areEqual(means[at - 1] ?? mean, mean) ? count + 1 : 1
    most = Math.max(most, count)
  })
  return most
}

const meanOf = (group: ReadonlyArray<number>): number => Sum.round(Sum.of(group) / group.length)

/**
 * What equal differences say: if fewer than this share of other tasks differed by as much, so many in a row would have
 * had a chance of less than 5 %.
 */
const ofEqual = (groups: number): string => {
  const share = Math.floor(1000 * 0.05 ** (1 / groups)) / 10
  return `All differences are the same. With 95 % confidence that is so for at least ${share} % of other tasks; by how much the rest differ, these cannot say.`
}

const ofAlike = (unlike: number, groups: number): string =>
  `Only ${unlike} of ${groups} differ from the rest, and at least ${MIN_UNLIKE} are needed to say how often others do, and by how much.`
