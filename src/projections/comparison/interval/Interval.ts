/** The 95 % interval of a mean difference over other tasks of the same kind, with its p-value. */

import { Schema } from "effect"
import * as Sum from "../../../values/Sum.ts"
import { areEqual, type Drawing, type Groups, type PValue } from "../Statistics.ts"
import type { Inverted } from "./Inverted.ts"
import { signFlips } from "./SignFlips.ts"
import { studentizedBootstrap } from "./StudentizedBootstrap.ts"

/** Minimum number of groups for a conclusion. */
export const MIN_GROUPS = 10

/** An interval, and its method with its assumptions. */
export const Interval = Schema.Struct({
  low: Schema.Finite,
  high: Schema.Finite,
  method: Schema.Literal("studentized", "score").annotations({
    description:
      "`studentized`: a bootstrap interval, extended by the values that flipping signs does not exclude. It assumes that the tasks are drawn at random, and that differences much larger than the observed ones are no more frequent than these suggest. `score`: Tango's score interval for three outcomes. It assumes that the tasks are drawn at random",
  }),
}).annotations({ identifier: "Interval" })

export type Interval = typeof Interval.Type

/** Why there is no interval and no p-value. */
export const Refusal = Schema.Struct({
  reason: Schema.Literal("few", "equal", "alike", "unstable").annotations({
    description:
      "`few`: too few groups; `equal`: all differences are the same; `alike`: nearly all are the same; `unstable`: the interval is unbounded",
  }),
  explanation: Schema.String,
}).annotations({ identifier: "IntervalRefusal" })

export type Refusal = typeof Refusal.Type

/**
 * An interval with the p-value of a mean of 0, which is below 0.05 exactly if the interval excludes 0; or a refusal.
 */
export type Estimate =
  | { readonly interval: Interval; readonly noInterval: null; readonly p: PValue }
  | { readonly interval: null; readonly noInterval: Refusal; readonly p: null }

/** If most groups are equal, at least this many must differ from them. */
const MIN_UNLIKE = 4

/**
 * Estimates the interval of a mean difference, and the p-value of a mean of 0.
 *
 * Inverts two tests. Sign flipping is valid for symmetrical differences, however few are not 0, but not for skewed
 * ones. The studentized bootstrap is valid for skewed differences, but not if few differ. The interval covers
 * everything that either test does not exclude, and p is the larger one, so the method never depends on the data.
 *
 * If all differences are equal, or all but one to three, they say too little about how often and by how much others
 * differ: any interval would be too narrow.
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

/** The interval and p-value of another exact test. */
export const ofTest = ({ low, high, p }: Inverted, method: Interval["method"]): Estimate => ({
  interval: { low: rounded(low), high: rounded(high), method },
  noInterval: null,
  p: { value: p, method: "exact" },
})

/** Rounds at 1e-9, but never rounds an end that excludes 0 to 0. */
const rounded = (end: number): number => (Sum.round(end) || end) + 0

const refusal = (reason: Refusal["reason"], explanation: string): Estimate => ({
  interval: null,
  noInterval: { reason, explanation },
  p: null,
})

/** The number of groups with the most common mean difference, up to rounding. */
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
 * The conclusion from equal differences: if a smaller share of other tasks were equal, so many equal ones would have a
 * probability below 5 %.
 */
const ofEqual = (groups: number): string => {
  const share = Math.floor(1000 * 0.05 ** (1 / groups)) / 10
  return `All differences are the same. With 95 % confidence that holds for at least ${share} % of other tasks; how much the rest differ is unknown.`
}

const ofAlike = (unlike: number, groups: number): string =>
  `Only ${unlike} of ${groups} differ from the rest. At least ${MIN_UNLIKE} are needed to estimate how often and by how much others do.`
