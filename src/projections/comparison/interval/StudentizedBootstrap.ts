/** The studentized bootstrap interval of a mean. */

import { uniformInt } from "pure-rand/distribution/uniformInt"
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus"
import type { Drawing, Groups } from "../Statistics.ts"
import { drawsOf } from "./Draws.ts"
import { type Inverted, inverted, LEVEL } from "./Inverted.ts"

/**
 * The interval of a mean by the studentized bootstrap, or bootstrap-t (Efron & Tibshirani, An Introduction to the
 * Bootstrap, 1993, §12.5). Draws whole groups with replacement. The t of a resample is the distance of its mean from
 * the observed one in the resample's own standard errors, so the interval reaches further on the side of the skew. With
 * groups of several values, the standard error is that of a ratio: of the sums to the numbers of values.
 *
 * With few skewed groups, a bootstrap at 5 % excludes the mean too often, because most samples miss the largest values.
 * The level is therefore stricter, by a share that falls with the square root of the number of groups (see
 * `docs/explanation/statistics.md`).
 *
 * Returns null if the interval is unbounded: in more resamples than the level allows, all values are equal on one side
 * of the mean, and the standard error is zero. Needs at least ten groups.
 */
export const studentizedBootstrap = (groups: Groups, { seed, draws }: Drawing): Inverted | null => {
  const sizes = Float64Array.from(groups, ({ length }) => length)
  const sums = Float64Array.from(groups, (group) => group.reduce((total, value) => total + value, 0))
  const count = total(sizes)
  const mean = total(sums) / count
  const residuals = sums.map((sum, index) => sum - mean * (sizes[index] ?? 0))
  const squares = total(residuals.map((residual) => residual * residual))
  const error = standardError(squares, groups.length, count)
  const resamples = drawsOf(groups.length, draws)
  const random = xoroshiro128plus(seed)
  const bounds = new Float64Array(resamples)
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
    // Equal residuals leave only rounding error.
    const t = own > squares * 1e-12 ? distance / standardError(own, groups.length, size) : infiniteIn(distance)
    bounds[resample] = boundAt(mean, t * error)
  }
  const found = inverted(bounds, resamples + 1, levelOf(groups.length))
  return Number.isFinite(found.low) && Number.isFinite(found.high) ? found : null
}

const levelOf = (groups: number): number => LEVEL * (1 - 2 / Math.sqrt(groups))

/** The difference of two equal numbers leaves only rounding error. */
const boundAt = (mean: number, reach: number): number =>
  Math.abs(mean - reach) <= 1e-12 * Math.abs(mean) ? 0 : mean - reach

const total = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0)

const standardError = (squares: number, groups: number, count: number): number =>
  Math.sqrt((groups / (groups - 1)) * squares) / count

const infiniteIn = (distance: number): number => (distance === 0 ? 0 : Math.sign(distance) * Number.POSITIVE_INFINITY)
