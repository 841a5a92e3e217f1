import { varianceOf } from "./MannKendall.ts"
import { descents, pairsOf, tieSizes } from "./Pairs.ts"

/** One value of a series, and where it stands on the axis. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** The slope of a series, and a 95 % interval of it. */
export interface Slope {
  readonly slope: number
  readonly low: number
  readonly high: number
}

/**
 * The median of the slopes of all pairs of points, and the interval that follows from the distribution of Kendall's S (Theil
 * 1950; Sen, Journal of the American Statistical Association 63, 1968, §4). A third of the values may be anything without
 * it running away. The points are in ascending order of x, no two at the same; null for fewer than two.
 */
export const theilSen = (points: ReadonlyArray<Point>): Slope | null => {
  const pairs = pairsOf(points.length)
  if (pairs === 0) return null
  const slopeAt = ranked(points)
  const ys = points.map(({ y }) => y)
  const reach = QUANTILE * Math.sqrt(varianceOf(ys.length, tieSizes(ys)))
  const low = Math.max(0, Math.round((pairs - reach) / 2) - 1)
  const high = Math.min(pairs - 1, Math.round((pairs + reach) / 2))
  return {
    slope: (slopeAt(Math.floor((pairs - 1) / 2)) + slopeAt(Math.floor(pairs / 2))) / 2,
    low: slopeAt(low),
    high: slopeAt(high),
  }
}

/** The 97.5 % quantile of the normal distribution. */
const QUANTILE = 1.959963984540054

/** Steps in which the search for a slope halves what is left: beyond them doubles do not tell slopes apart. */
const STEPS = 100

/** Digits of a slope that the search vouches for. */
const DIGITS = 12

/**
 * Gives the slope of each rank, from 0, of all pairs. They are not all made, for there are 50 million of 10,000 points: those
 * below a slope are as many as descents are left in the series once it is tilted by that slope.
 */
const ranked = (points: ReadonlyArray<Point>): ((rank: number) => number) => {
  const steps = points.slice(1).map(({ x, y }, index) => (y - (points[index]?.y ?? 0)) / (x - (points[index]?.x ?? 0)))
  // No pair is steeper than the steepest step between neighbours.
  const [least, most] = [steps.reduce((a, b) => Math.min(a, b)), steps.reduce((a, b) => Math.max(a, b))]
  const tilted = new Float64Array(points.length)
  const below = (slope: number): number => {
    points.forEach(({ x, y }, index) => {
      tilted[index] = y - slope * x
    })
    return descents(tilted)
  }
  return (rank) => {
    let [low, high] = [least, most]
    for (let step = 0; step < STEPS && low < high; step++) {
      const middle = low + (high - low) / 2
      if (middle === low || middle === high) break
      if (below(middle) <= rank) low = middle
      else high = middle
    }
    return rounded(low + (high - low) / 2, most - least)
  }
}

const rounded = (slope: number, spread: number): number =>
  Math.abs(slope) < spread * 10 ** -DIGITS ? 0 : Number(slope.toPrecision(DIGITS))
