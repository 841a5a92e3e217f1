/** The Theil–Sen slope of a series, with a confidence interval. */

import { mostSignificant } from "./MannKendall.ts"
import { descents, pairsOf, tieSizes } from "./Pairs.ts"

/** One value of a series, and its place on the axis. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** The slope of a series, and its 95 % interval. */
export interface Slope {
  readonly slope: number
  readonly low: number
  readonly high: number
}

/**
 * The median of the slopes of all pairs of points, with the interval from the distribution of Kendall's S (Theil 1950;
 * Sen, Journal of the American Statistical Association 63, 1968, §4): the slopes that the Mann–Kendall test does not
 * exclude, so the two never contradict each other. The estimate tolerates outliers in up to almost a third of the
 * values. The points must be in ascending order of x, without duplicates; null for fewer than two.
 */
export const theilSen = (points: ReadonlyArray<Point>): Slope | null => {
  const pairs = pairsOf(points.length)
  if (pairs === 0) return null
  const slopeAt = slopeOfRank(points)
  const ys = points.map(({ y }) => y)
  const ties = tieSizes(ys)
  const tied = ties.reduce((sum, size) => sum + pairsOf(size), 0)
  const low = Math.max(0, mostSignificant(ys.length, ties) + Math.floor(tied / 2))
  const high = pairs - 1 - low
  return {
    slope: (slopeAt(Math.floor((pairs - 1) / 2)) + slopeAt(Math.floor(pairs / 2))) / 2,
    low: slopeAt(low),
    high: slopeAt(high),
  }
}

/** Number of halvings in the search for a slope. After these, doubles no longer distinguish slopes. */
const STEPS = 100

/** Significant digits of a slope that the search guarantees. */
const DIGITS = 12

/**
 * Returns the slope of each rank, from 0, among all pairs, without computing all slopes: 10,000 points have 50 million
 * pairs. The number of slopes below a value equals the number of descents in the series after tilting it by that slope.
 */
const slopeOfRank = (points: ReadonlyArray<Point>): ((rank: number) => number) => {
  const steps = points.slice(1).map(({ x, y }, index) => (y - (points[index]?.y ?? 0)) / (x - (points[index]?.x ?? 0)))
  // No pair is steeper than the steepest step between neighbours.
  const [least, most] = [steps.reduce((a, b) => Math.min(a, b)), steps.reduce((a, b) => Math.max(a, b))]
  const tilted = new Float64Array(points.length)
  const countBelow = (slope: number): number => {
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
      if (countBelow(middle) <= rank) low = middle
      else high = middle
    }
    return rounded(low + (high - low) / 2, most - least)
  }
}

const rounded = (slope: number, spread: number): number =>
  Math.abs(slope) < spread * 10 ** -DIGITS ? 0 : Number(slope.toPrecision(DIGITS))
