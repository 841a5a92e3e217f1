/** Default number of random draws. */

const DRAWS = 10_000

/** Minimum number of draws: with fewer, the ends of a 95 % interval depend on too few of them. */
const MIN_DRAWS = 1_000

/** Maximum number of groups drawn in total; beyond it, there are fewer draws. */
const MAX_DRAWN = 20_000_000

/** The number of resamples, or sign patterns, for a number of groups. */
export const drawsOf = (groups: number, draws = DRAWS): number =>
  Math.max(MIN_DRAWS, Math.min(draws, Math.floor(MAX_DRAWN / groups)))
