/** The statistics of paired differences: sign-flip test, McNemar's test and effect size. */

import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus"
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
  /** Random sign patterns, or resamples. Default: 10,000. */
  readonly draws?: number
}

/** Up to so many groups with a difference, all 2^18 sign patterns are evaluated. */
const MAX_EXACT_GROUPS = 18

const DRAWS = 10_000

/**
 * The two-sided p-value of a mean difference of zero, by a sign-flip test: if both scores of a pair are exchangeable,
 * each group's sum could have either sign (Fisher, The Design of Experiments, 1935, §21), so that the differences are
 * distributed symmetrically about zero. Differences that are skewed speak against that, also where their mean is zero.
 * The p-value is the share of
 * sign patterns whose sum is at least as far from zero as the observed one. With more than 18 groups that differ it is
 * estimated from random patterns, counting the observed one among them, so that it is never zero (Phipson & Smyth
 * 2010).
 */
export const signFlip = (groups: Groups, drawing: Drawing): PValue => {
  const sums = groups.map(sumOf).filter((sum) => sum !== 0)
  const observed = Math.abs(sumOf(sums))
  // Sums that are mathematically equal may differ in their last digits.
  const bound = observed - 1e-9 * Math.max(1, ...sums.map(Math.abs))
  return sums.length <= MAX_EXACT_GROUPS
    ? { value: shareOfPatterns(sums, bound), method: "exact" }
    : { value: shareOfDrawn(Float64Array.from(sums), bound, drawing), method: "sampled" }
}

/** Enumerates all sign patterns by changing one sign at a time (a Gray code). */
const shareOfPatterns = (sums: ReadonlyArray<number>, bound: number): number => {
  const signs = sums.map(() => 1)
  const patterns = 2 ** sums.length
  let sum = sumOf(sums)
  let extreme = 0
  for (let pattern = 1; pattern <= patterns; pattern++) {
    if (Math.abs(sum) >= bound) extreme += 1
    const flipped = 31 - Math.clz32(pattern & -pattern)
    const sign = -(signs[flipped] ?? 1)
    signs[flipped] = sign
    sum += 2 * sign * (sums[flipped] ?? 0)
  }
  return extreme / patterns
}

const shareOfDrawn = (sums: Float64Array, bound: number, { seed, draws = DRAWS }: Drawing): number => {
  const random = xoroshiro128plus(seed)
  let extreme = 1
  for (let draw = 0; draw < draws; draw++) {
    let sum = 0
    let bits = 0
    for (let index = 0; index < sums.length; index++) {
      if (index % 32 === 0) bits = random.next()
      const value = sums[index] ?? 0
      sum += (bits & 1) === 0 ? value : -value
      bits >>>= 1
    }
    if (Math.abs(sum) >= bound) extreme += 1
  }
  return extreme / (draws + 1)
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
  if (most - least <= ROUNDING * Math.max(1, Math.abs(least), Math.abs(most))) return null
  const size = mean([...differences]) / sampleStandardDeviation([...differences])
  return Number.isFinite(size) ? size : null
}

/** Differences that are no further apart are the same: each is the difference of two values that were rounded at 1e-9. */
const ROUNDING = 4e-9

const sumOf = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)
