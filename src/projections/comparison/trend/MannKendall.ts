import { descents, pairsOf, tieSizes } from "./Pairs.ts"

/** What the Mann–Kendall test says of a series. */
export interface MannKendall {
  /** Pairs in ascending order less pairs in descending order. */
  readonly s: number
  /** Kendall's τ-b, with time never tied: −1 to 1; 0 where all values are the same. */
  readonly tau: number
  readonly p: {
    readonly value: number
    /** `exact`: over all orders of these values; `normal`: by the normal distribution. */
    readonly method: "exact" | "normal"
  }
}

/** Up to so many values all orders are counted; above, the normal distribution is as good. */
export const MAX_EXACT = 60

/**
 * The Mann–Kendall test of a series against a monotone trend, two-sided (Mann, Econometrica 13, 1945; Kendall, Rank Correlation
 * Methods, 1975). Without a trend every order of the values is as likely as any other: the p-value is the share of orders
 * whose S is at least as far from zero. Ties are taken into account, in the exact distribution as in the variance.
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

/** The variance of S where there is no trend (Kendall 1975, with ties). */
export const varianceOf = (count: number, ties: ReadonlyArray<number>): number => {
  const term = (of: number) => of * (of - 1) * (2 * of + 5)
  return (term(count) - ties.reduce((sum, size) => sum + term(size), 0)) / 18
}

/** The share of orders with at most so many descents, or at least as many ascents in excess: the distribution is symmetric. */
const exact = (ties: ReadonlyArray<number>, most: number): number => {
  const shares = descentShares(ties)
  let tail = 0
  for (let count = 0; count <= most; count++) tail += shares[count] ?? 0
  return Math.min(1, 2 * tail)
}

/**
 * The distribution of the number of descents over all orders of values with these ties: a value that is put in, with its
 * ties, stands below so many of those that are there as Mann and Whitney's U counts, whatever their own order.
 */
const descentShares = (ties: ReadonlyArray<number>): Float64Array => {
  let shares: Float64Array = Float64Array.of(1)
  let there = 0
  for (const size of ties) {
    shares = convolved(shares, mannWhitney(there, size))
    there += size
  }
  return shares
}

/**
 * The distribution of U of two groups of these sizes (Mann & Whitney, Annals of Mathematical Statistics 18, 1947, eq. 1): the
 * last one in order is of the first group, or of the second and then stands behind all of the first.
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

/** With continuity correction: S moves in steps of 2 where nothing is tied. */
const normal = (distance: number, variance: number): number =>
  distance === 0 || variance === 0
    ? 1
    : Math.min(1, complementaryErrorFunction((distance - 1) / Math.sqrt(2 * variance)))

/** For what is not negative, within 1.2e-7 of its value (Press et al., Numerical Recipes in C, 1992, §6.2, erfcc). */
const complementaryErrorFunction = (x: number): number => {
  const t = 1 / (1 + x / 2)
  return t * Math.exp(-x * x + COEFFICIENTS.reduceRight((sum, coefficient) => sum * t + coefficient, 0))
}

const COEFFICIENTS = [
  ...[-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806],
  ...[0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277],
]
