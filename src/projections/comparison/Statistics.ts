/** The statistics of paired differences: McNemar's test and effect size. */

import { mean, sampleStandardDeviation } from "simple-statistics"

/**
 * Paired differences in groups; differences of one group may depend on one another. Most groups have one difference.
 * Resampling and sign flipping always act on whole groups.
 */
export type Groups = ReadonlyArray<ReadonlyArray<number>>

/** A p-value, and how it was computed. */
export interface PValue {
  readonly value: number
  /** `exact`: over all sign patterns; `sampled`: over a number of random ones. */
  readonly method: "exact" | "sampled"
}

/** The random numbers of a statistic. */
export interface Drawing {
  readonly seed: number
  /** Random sign patterns, or resamples, of which at least 1,000 are drawn; fewer of very many groups. Default: 10,000. */
  readonly draws?: number
}

/**
 * McNemar's exact test of two counts of flips: the probability of a split at least as uneven, if gains and losses were
 * equally likely (two-sided binomial test; Agresti, Categorical Data Analysis, 2002, §10.1.4).
 */
export const mcnemar = (gained: number, lost: number): number => {
  const flips = gained + lost
  const fewer = Math.min(gained, lost)
  let log = -flips * Math.LN2
  let tail = 0
  for (let count = 0; count <= fewer; count++) {
    tail += Math.exp(log)
    log += Math.log(flips - count) - Math.log(count + 1)
  }
  return Math.min(1, 2 * tail)
}

/**
 * Cohen's d of paired differences: their mean in standard deviations (Lakens 2013, d_z). It is null for fewer than two
 * differences, and if all are the same, but for rounding at 1e-9: then there is nothing to measure the mean by.
 */
export const effectSize = (differences: ReadonlyArray<number>): number | null => {
  if (differences.length < 2) return null
  const [least, most] = differences.reduce(
    ([low, high], of) => [Math.min(low, of), Math.max(high, of)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  )
  if (areEqual(least, most)) return null
  const size = mean([...differences]) / sampleStandardDeviation([...differences])
  return Number.isFinite(size) ? size : null
}

/** Differences that are no further apart are the same: each is the difference of two values that were rounded at 1e-9. */
const ROUNDING = 4e-9

/** Whether two differences are the same but for rounding. */
export const areEqual = (one: number, other: number): boolean =>
  Math.abs(other - one) <= ROUNDING * Math.max(1, Math.abs(one), Math.abs(other))
