/** The interval of the difference of two shares of the same pairs. */

import { mcnemar } from "../Statistics.ts"
import { type Inverted, LEVEL } from "./Inverted.ts"

/** The 97.5 % quantile of the normal distribution. */
const QUANTILE = 1.959963984540054

/** Number of halvings in the search for an end. After these, doubles no longer distinguish shares. */
const STEPS = 60

/**
 * The 95 % interval of the share of gained pairs minus the share of lost pairs, with three outcomes: lost, equal,
 * gained. It is the score interval (Tango, Statistics in Medicine 17, 1998), extended to 0 if McNemar's exact test,
 * which gives the p-value, does not exclude 0; if that test excludes 0, so does the score interval. Over all shares it
 * covers the difference in at least 93.4 % of the samples, and excludes 0 in at most 4.2 % if the shares are equal
 * (enumerated by `test/projections/comparison/passes.test.ts`).
 */
export const tango = (gained: number, lost: number, pairs: number): Inverted => {
  const p = mcnemar(gained, lost)
  const [low, high] = [-endOf(lost, gained, pairs), endOf(gained, lost, pairs)]
  return p < LEVEL ? { low, high, p } : { low: Math.min(low, 0), high: Math.max(high, 0), p }
}

/** The largest difference within 1.96 standard errors of the observed one. */
const endOf = (gained: number, lost: number, pairs: number): number => {
  let [inside, outside] = [(gained - lost) / pairs, 1]
  if (distance(gained, lost, pairs, outside) <= QUANTILE) return outside
  for (let step = 0; step < STEPS; step++) {
    const middle = (inside + outside) / 2
    if (distance(gained, lost, pairs, middle) <= QUANTILE) inside = middle
    else outside = middle
  }
  return inside
}

/**
 * The distance of the observed difference below this one, in standard errors under this difference, with the
 * maximum-likelihood share of losses: the root of a quadratic equation.
 */
const distance = (gained: number, lost: number, pairs: number, difference: number): number => {
  const linear = -gained - lost + (2 * pairs - gained + lost) * difference
  const constant = -lost * difference * (1 - difference)
  const root = Math.sqrt(Math.max(0, linear * linear - 8 * pairs * constant))
  const share = (root - linear) / (4 * pairs)
  const variance = pairs * (2 * share + difference * (1 - difference))
  const below = pairs * difference - (gained - lost)
  return variance <= 1e-15 ? (below <= 1e-12 ? 0 : Number.POSITIVE_INFINITY) : below / Math.sqrt(variance)
}
