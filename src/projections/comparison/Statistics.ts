/** The statistics of paired differences: McNemar's test and effect size. */

import { mean, sampleStandardDeviation } from "simple-statistics"

/**
 * Paired differences in groups, most of them with one difference. Differences within a group may depend on each other,
 * so resampling and sign flipping act on whole groups.
 */
export type Groups = ReadonlyArray<ReadonlyArray<number>>

/** A p-value and its method. */
export interface PValue {
  readonly value: number
  /** `exact`: over all sign patterns; `sampled`: over random ones. */
  readonly method: "exact" | "sampled"
}

/** The random numbers of a statistic. */
export interface Drawing {
  readonly seed: number
  /** Number of random sign patterns or resamples, at least 1,000; reduced for very many groups. Default: 10,000. */
  readonly draws?: number
}

/**
 * McNemar's exact test of two counts of flips: the probability of a split at least as uneven if gains and losses are
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
 * Cohen's d of paired differences: their mean in standard deviations (Lakens 2013, d_z). Null for fewer than two
 * differences, and if all are equal up to rounding at 1e-9, which leaves no scale for the mean.
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

/** Differences closer than this are equal: each is the difference of two values rounded at 1e-9. */
const ROUNDING = 4e-9

/** Whether two differences are equal up to rounding. */
export const areEqual = (one: number, other: number): boolean =>
  Math.abs(other - one) <= ROUNDING * Math.max(1, Math.abs(one), Math.abs(other))
