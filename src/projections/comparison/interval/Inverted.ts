/** Inverts a test of a mean: the interval of the means that it does not exclude, and its p-value of 0. */

/**
 * A 95 % interval, and the two-sided p-value of a mean of 0, which is below 0.05 exactly if the interval excludes 0.
 */
export interface Inverted {
  readonly low: number
  readonly high: number
  readonly p: number
}

/** The level of a test with a 95 % interval. */
export const LEVEL = 0.05

/**
 * Inverts a test that finds a bound in each pattern. The one-sided p-value of a mean is the share of patterns with a
 * bound at most, or at least, that mean; the observed pattern, which is not among the bounds, counts at both ends.
 * Sorts the bounds.
 *
 * A stricter level gives a wider interval; its p-value is raised to the power that maps that level to 0.05.
 */
export const inverted = (bounds: Float64Array, patterns: number, level = LEVEL): Inverted => {
  bounds.sort()
  const excluded = Math.max(0, Math.ceil((level / 2) * patterns) - 2)
  let [below, above] = [1, 1]
  for (const bound of bounds) {
    if (bound <= 0) below += 1
    if (bound >= 0) above += 1
  }
  return {
    low: bounds[excluded] ?? Number.NEGATIVE_INFINITY,
    high: bounds[bounds.length - 1 - excluded] ?? Number.POSITIVE_INFINITY,
    p: Math.min(1, (2 * Math.min(below, above)) / patterns) ** (Math.log(LEVEL) / Math.log(level)),
  }
}
