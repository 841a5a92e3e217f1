/** Numeric samples that a fold collects, and their exact quantiles. */

import { Schema } from "effect"

/** A series of numbers in pieces of `PIECE`, so that adding a number copies one piece and not the series. */
export const Samples = Schema.Array(Schema.Array(Schema.Finite)).annotations({ identifier: "Samples" })

export type Samples = typeof Samples.Type

export const none: Samples = []

const PIECE = 256

export const add = (samples: Samples, value: number): Samples => {
  const last = samples.at(-1)
  if (last === undefined || last.length === PIECE) return [...samples, [value]]
  return samples.with(-1, [...last, value])
}

/** Quantiles of call durations. */
export const Latency = Schema.Struct({
  p50: Schema.Finite.annotations({ description: "Median, ms" }),
  p95: Schema.Finite.annotations({ description: "95th percentile, ms" }),
  max: Schema.Finite.annotations({ description: "Longest, ms" }),
}).annotations({
  identifier: "Latency",
  description: "Exact quantiles in ms, interpolated between neighbours (type 7, as in R and NumPy)",
})

export type Latency = typeof Latency.Type

/** Exact quantiles of the series; null if it is empty. */
export const latency = (samples: Samples): Latency | null => {
  const sorted = samples.flat().sort((a, b) => a - b)
  const max = sorted.at(-1)
  return max === undefined ? null : { p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95), max }
}

/** The median of the series; null if it is empty. */
export const median = (samples: Samples): number | null => latency(samples)?.p50 ?? null

/** Hyndman and Fan's type 7: the value at rank (n − 1) · q, interpolated linearly between its neighbours. */
const quantile = (sorted: ReadonlyArray<number>, q: number): number => {
  const rank = (sorted.length - 1) * q
  const below = sorted[Math.floor(rank)] ?? 0
  const above = sorted[Math.ceil(rank)] ?? below
  return below + (above - below) * (rank - Math.floor(rank))
}
