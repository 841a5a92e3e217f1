/** The studentized bootstrap interval of a mean. */

import { uniformInt } from "pure-rand/distribution/uniformInt"
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus"
import { quantileSorted } from "simple-statistics"
import type { Drawing, Groups } from "../Statistics.ts"

const DRAWS = 10_000

/** Most groups drawn in total; at least 1,000 resamples are made in any case. */
const MAX_DRAWN = 20_000_000

/**
 * The 95 % interval of a mean by the studentized bootstrap, or bootstrap-t (Efron & Tibshirani, An Introduction to the
 * Bootstrap, 1993, §12.5). Whole groups are drawn with replacement. The t of a resample is the distance of its mean
 * from the observed one in the resample's own standard errors, so that the interval reaches further to the side
 * to which the values are skewed. With groups of several values, the standard error is that of a ratio: of the sums to
 * the numbers of values.
 *
 * It is null where it is unbounded: more than 2.5 % of the resamples have values that are all the same on one side of
 * the mean, so that their standard error is zero. It needs two groups at least.
 */
export const studentizedBootstrap = (
  groups: Groups,
  { seed, draws = DRAWS }: Drawing,
): { readonly low: number; readonly high: number } | null => {
  const sizes = Float64Array.from(groups, ({ length }) => length)
  const sums = Float64Array.from(groups, (group) => group.reduce((total, value) => total + value, 0))
  const count = total(sizes)
  const mean = total(sums) / count
  const residuals = sums.map((sum, index) => sum - mean * (sizes[index] ?? 0))
  const squares = total(residuals.map((residual) => residual * residual))
  const error = standardError(squares, groups.length, count)
  const resamples = Math.max(1_000, Math.min(draws, Math.floor(MAX_DRAWN / groups.length)))
  const random = xoroshiro128plus(seed)
  const distances = new Float64Array(resamples)
  for (let resample = 0; resample < resamples; resample++) {
    let [sum, size, squared, crossed, sizeSquared] = [0, 0, 0, 0, 0]
    for (let draw = 0; draw < groups.length; draw++) {
      const drawn = uniformInt(random, 0, groups.length - 1)
      const [residual, length] = [residuals[drawn] ?? 0, sizes[drawn] ?? 0]
      sum += residual
      size += length
      squared += residual * residual
      crossed += residual * length
      sizeSquared += length * length
    }
    const distance = sum / size
    // Σ (residual − distance · length)²: the squares of the residuals from the resample's own mean.
    const own = squared - 2 * distance * crossed + distance * distance * sizeSquared
    // What is left of equal residuals is rounding error.
    distances[resample] =
      own > squares * 1e-12 ? distance / standardError(own, groups.length, size) : infiniteIn(distance)
  }
  const sorted = [...distances.sort()]
  const [low, high] = [mean - quantile(sorted, 0.975) * error, mean - quantile(sorted, 0.025) * error]
  return Number.isFinite(low) && Number.isFinite(high) ? { low, high } : null
}

const total = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0)

const standardError = (squares: number, groups: number, count: number): number =>
  Math.sqrt((groups / (groups - 1)) * squares) / count

const infiniteIn = (distance: number): number => (distance === 0 ? 0 : Math.sign(distance) * Number.POSITIVE_INFINITY)

/** The quantile of sorted values, of which the outermost may be infinite. */
const quantile = (sorted: Array<number>, share: number): number => {
  const found = quantileSorted(sorted, share)
  return Number.isNaN(found) ? (sorted[Math.floor(share * sorted.length)] ?? 0) : found
}
