/** How much is drawn at random. */

const DRAWS = 10_000

/** So many at least are drawn in any case: with fewer, the ends of a 95 % interval rest on too few of them. */
const MIN_DRAWS = 1_000

/** Most groups drawn in total, beyond which fewer resamples, or sign patterns, are drawn. */
const MAX_DRAWN = 20_000_000

/** How many resamples of so many groups, or patterns of their signs, are drawn. */
export const drawsOf = (groups: number, draws = DRAWS): number =>
  Math.max(MIN_DRAWS, Math.min(draws, Math.floor(MAX_DRAWN / groups)))
