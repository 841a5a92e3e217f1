/** The sign-flip test of a mean, and its interval. */

import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus"
import type { Drawing, Groups, PValue } from "../Statistics.ts"
import { drawsOf } from "./Draws.ts"
import { type Inverted, inverted } from "./Inverted.ts"

/** Maximum number of groups for which all 2^18 sign patterns are evaluated. */
const MAX_EXACT_GROUPS = 18

/** Sums that are mathematically 0 may differ from it by this share of the sum of absolute values. */
const ROUNDING = 1e-12

/**
 * The two-sided p-value of a mean difference of zero, by a sign-flip test. If the scores of each pair are exchangeable,
 * each group's sum could have either sign (Fisher, The Design of Experiments, 1935, §21), so the differences are
 * symmetric about zero. The p-value is the share of sign patterns whose sum is at least as far from zero as the
 * observed one. With more than 18 groups, it is estimated from random patterns and the observed one, so it is never
 * zero (Phipson & Smyth 2010).
 *
 * A pattern's sum exceeds the observed one if the flipped groups sum to less than zero. So the means that the test does
 * not exclude lie between quantiles of the means of subsets (Hartigan, Journal of the American Statistical Association
 * 64, 1969). These quantiles are the interval.
 */
export const signFlips = (groups: Groups, drawing: Drawing): Inverted & Pick<PValue, "method"> => {
  const sums = Float64Array.from(groups, (group) => group.reduce((total, value) => total + value, 0))
  const sizes = Float64Array.from(groups, ({ length }) => length)
  const nothing = ROUNDING * sums.reduce((total, sum) => total + Math.abs(sum), 0)
  const meanOf = (sum: number, size: number) => (Math.abs(sum) <= nothing ? 0 : sum / size)
  return groups.length <= MAX_EXACT_GROUPS
    ? { ...inverted(allSubsets(sums, sizes, meanOf), 2 ** groups.length), method: "exact" }
    : { ...sampled(sums, sizes, meanOf, drawing), method: "sampled" }
}

type MeanOf = (sum: number, size: number) => number

/** The means of all non-empty subsets. */
const allSubsets = (sums: Float64Array, sizes: Float64Array, meanOf: MeanOf): Float64Array => {
  const subsets = 2 ** sums.length
  const [totals, counts] = [new Float64Array(subsets), new Float64Array(subsets)]
  for (let subset = 1; subset < subsets; subset++) {
    const first = 31 - Math.clz32(subset & -subset)
    const rest = subset & (subset - 1)
    totals[subset] = (totals[rest] ?? 0) + (sums[first] ?? 0)
    counts[subset] = (counts[rest] ?? 0) + (sizes[first] ?? 0)
  }
  return totals.map((total, subset) => meanOf(total, counts[subset] ?? 0)).subarray(1)
}

/** Draws each random subset with its complement: a pattern and its opposite are equally far from zero. */
const sampled = (sums: Float64Array, sizes: Float64Array, meanOf: MeanOf, { seed, draws: most }: Drawing) => {
  const draws = drawsOf(sums.length, most)
  const random = xoroshiro128plus(seed)
  const means = new Float64Array(2 * draws)
  for (let draw = 0; draw < draws; draw++) {
    let [inside, insideSize, outside, outsideSize] = [0, 0, 0, 0]
    let bits = 0
    for (let index = 0; index < sums.length; index++) {
      if (index % 32 === 0) bits = random.next()
      if ((bits & 1) === 0) {
        outside += sums[index] ?? 0
        outsideSize += sizes[index] ?? 0
      } else {
        inside += sums[index] ?? 0
        insideSize += sizes[index] ?? 0
      }
      bits >>>= 1
    }
    means[2 * draw] = meanOf(inside, insideSize)
    means[2 * draw + 1] = meanOf(outside, outsideSize)
  }
  return inverted(means, 2 * (draws + 1))
}
