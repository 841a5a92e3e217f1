/** The Mann–Kendall test for a monotone trend, exact for short series. */

import { descents, pairsOf, tieSizes } from "./Pairs.ts"

/** The result of the Mann–Kendall test of a series. */
export interface MannKendall {
  /** The number of ascending pairs minus the number of descending pairs. */
  readonly s: number
  /** Kendall's τ-b, with time never tied: −1 to 1; 0 if all values are equal. */
  readonly tau: number
  readonly p: {
    readonly value: number
    /** `exact`: over all orders of these values; `normal`: by the normal distribution. */
    readonly method: "exact" | "normal"
  }
}

/** Maximum length of a series with an exact distribution; beyond it, the normal approximation is as good. */
export const MAX_EXACT = 60

/**
 * The Mann–Kendall test of a series against a monotone trend, two-sided (Mann, Econometrica 13, 1945; Kendall, Rank
 * Correlation Methods, 1975). Without a trend, every order of the values is equally likely: the p-value is the share of
 * orders whose S is at least as far from zero. The exact distribution and the variance account for ties.
 */
export const mannKendall = (values: ReadonlyArray<number>): MannKendall => {
  const ties = tieSizes(values)
  const pairs = pairsOf(values.length)
  const untied = pairs - ties.reduce((sum, size) => sum + pairsOf(size), 0)
  const s = untied - 2 * descents(values)
  const tau = untied === 0 ? 0 : s / Math.sqrt(untied * pairs)
  if (values.length <= MAX_EXACT)
    return { s, tau, p: { value: exact(ties, (untied - Math.abs(s)) / 2), method: "exact" } }
  return { s, tau, p: { value: normal(Math.abs(s), varianceOf(values.length, ties)), method: "normal" } }
}

/** The variance of S without a trend (Kendall 1975, with ties). */
export const varianceOf = (count: number, ties: ReadonlyArray<number>): number => {
  const term = (of: number) => of * (of - 1) * (2 * of + 5)
  return (term(count) - ties.reduce((sum, size) => sum + term(size), 0)) / 18
}

/**
 * The greatest number of descents, or of ascents, with which a series with these ties has a p-value below 0.05; -1 if
 * there is none.
 */
export const mostSignificant = (count: number, ties: ReadonlyArray<number>): number => {
  const untied = pairsOf(count) - ties.reduce((sum, size) => sum + pairsOf(size), 0)
  let most = -1
  if (count <= MAX_EXACT) {
    const shares = descentShares(ties)
    for (let tail = shares[0] ?? 1; 2 * tail < LEVEL; tail += shares[most + 1] ?? 1) most += 1
    return most
  }
  const variance = varianceOf(count, ties)
  // Half of the pairs are not significant.
  let least = Math.ceil(untied / 2)
  while (least - most > 1) {
    const middle = Math.floor((least + most) / 2)
    if (normal(untied - 2 * middle, variance) < LEVEL) most = middle
    else least = middle
  }
  return most
}

/** The level of the test behind an interval. */
const LEVEL = 0.05

/** Twice the share of orders with at most `most` descents, at most 1. The distribution is symmetric. */
const exact = (ties: ReadonlyArray<number>, most: number): number => {
  const shares = descentShares(ties)
  let tail = 0
  for (let count = 0; count <= most; count++) tail += shares[count] ?? 0
  return Math.min(1, 2 * tail)
}

/**
 * The distribution of the number of descents over all orders of values with these ties. Inserts the groups of tied
 * values one after another: the descents that a group adds are distributed as Mann and Whitney's U between the group
 * and the present values, whatever their order.
 */
const descentShares = (ties: ReadonlyArray<number>): Float64Array => {
  let shares: Float64Array = Float64Array.of(1)
  let present = 0
  for (const size of ties) {
    shares = convolved(shares, mannWhitney(present, size))
    present += size
  }
  return shares
}

/**
 * The distribution of U of two groups of these sizes (Mann & Whitney, Annals of Mathematical Statistics 18, 1947, eq.
 * 1). The recursion is over the last value: it belongs to the first group, or to the second and then follows all of the
 * first.
 */
const mannWhitney = (first: number, second: number): Float64Array => {
  let row: ReadonlyArray<Float64Array> = Array.from({ length: second + 1 }, () => Float64Array.of(1))
  for (let a = 1; a <= first; a++) {
    const next = [Float64Array.of(1)]
    for (let b = 1; b <= second; b++) {
      const shares = new Float64Array(a * b + 1)
      const [lastOfFirst, lastOfSecond] = [row[b] ?? [], next[b - 1] ?? []]
      lastOfFirst.forEach((share, u) => {
        shares[u] = (share * a) / (a + b)
      })
      lastOfSecond.forEach((share, u) => {
        shares[u + a] = (shares[u + a] ?? 0) + (share * b) / (a + b)
      })
      next.push(shares)
    }
    row = next
  }
  return row[second] ?? Float64Array.of(1)
}

const convolved = (a: Float64Array, b: Float64Array): Float64Array => {
  const shares = new Float64Array(a.length + b.length - 1)
  a.forEach((share, at) => {
    for (let other = 0; other < b.length; other++)
      shares[at + other] = (shares[at + other] ?? 0) + share * (b[other] ?? 0)
  })
  return shares
}

/** With continuity correction: without ties, S moves in steps of 2. */
const normal = (distance: number, variance: number): number =>
  distance === 0 || variance === 0
    ? 1
    : Math.min(1, complementaryErrorFunction((distance - 1) / Math.sqrt(2 * variance)))

/** For x ≥ 0; the relative error is below 1.2e-7 (Press et al., Numerical Recipes in C, 1992, §6.2, erfcc). */
const complementaryErrorFunction = (x: number): number => {
  const t = 1 / (1 + x / 2)
  return t * Math.exp(-x * x + COEFFICIENTS.reduceRight((sum, coefficient) => sum * t + coefficient, 0))
}

const COEFFICIENTS = [
  ...[-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806],
  ...[0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277],
]
