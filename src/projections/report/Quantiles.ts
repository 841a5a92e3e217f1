/** A streaming quantile sketch in constant memory. */

import * as Sum from "../../values/Sum.ts"

/** Summary statistics of a set of values. */
export interface Spread {
  readonly count: number
  /** Exact to 1e-9. */
  readonly mean: number
  readonly min: number
  readonly p10: number
  readonly p25: number
  readonly median: number
  readonly p75: number
  readonly p90: number
  readonly max: number
}

/** Values that a level holds before half of them move to the next one. */
const LEVEL_CAPACITY = 256

/**
 * Quantiles of any number of values in constant memory. Count, mean, minimum and maximum are exact, and so are the
 * quantiles of up to 256 values; beyond that, ranks are off by at most about 1 in 100. The sketch is a stack of levels
 * in which each value represents twice as many as one level below (Karnin, Lang and Liberty, "Optimal Quantile
 * Approximation in Streams", 2016). It keeps every other value alternately instead of at random, so it is
 * deterministic.
 */
export class Quantiles {
  readonly #levels: Array<Array<number>> = [[]]
  readonly #odd: Array<boolean> = []
  #sum = Sum.zero
  #count = 0
  #min = Number.POSITIVE_INFINITY
  #max = Number.NEGATIVE_INFINITY

  get count(): number {
    return this.#count
  }

  get total(): number {
    return Sum.value(this.#sum)
  }

  add(value: number): void {
    this.#updateBounds(1, value, value)
    this.#sum = Sum.add(this.#sum, value)
    this.#level(0).push(value)
    this.#compact(0)
  }

  addAll(other: Quantiles): void {
    this.#updateBounds(other.#count, other.#min, other.#max)
    this.#sum = Sum.add(Sum.add(this.#sum, other.#sum.sum), other.#sum.lost)
    other.#levels.forEach((values, level) => {
      this.#level(level).push(...values)
      this.#compact(level)
    })
  }

  /** Null if there are no values. */
  spread(): Spread | null {
    if (this.#count === 0) return null
    const at = this.#quantile()
    return {
      count: this.#count,
      mean: Sum.round(this.total / this.#count),
      min: this.#min,
      p10: at(0.1),
      p25: at(0.25),
      median: at(0.5),
      p75: at(0.75),
      p90: at(0.9),
      max: this.#max,
    }
  }

  #updateBounds(count: number, min: number, max: number): void {
    this.#count += count
    this.#min = Math.min(this.#min, min)
    this.#max = Math.max(this.#max, max)
  }

  #level(level: number): Array<number> {
    const values = this.#levels[level] ?? []
    this.#levels[level] = values
    return values
  }

  #compact(level: number): void {
    const values = this.#level(level)
    if (values.length <= LEVEL_CAPACITY) return
    values.sort((a, b) => a - b)
    // With an odd number of values, the last one stays: the values that move up must represent twice their number.
    const left = values.length % 2 === 1 ? values.splice(-1) : []
    const odd = this.#odd[level] === true
    this.#odd[level] = !odd
    const next = this.#level(level + 1)
    values.forEach((value, index) => {
      if ((index % 2 === 1) === odd) next.push(value)
    })
    this.#levels[level] = left
    this.#compact(level + 1)
  }

  /** The value at a quantile, interpolated between neighbours (type 7) while all values are kept. */
  #quantile(): (share: number) => number {
    const exact = this.#levels.slice(1).every(({ length }) => length === 0)
    const weighted = this.#levels
      .flatMap((values, level) => values.map((value) => ({ value, weight: 2 ** level })))
      .sort((a, b) => a.value - b.value)
    return (share) => {
      if (exact) {
        const rank = (weighted.length - 1) * share
        const below = weighted[Math.floor(rank)]?.value ?? 0
        const above = weighted[Math.ceil(rank)]?.value ?? below
        return below + (above - below) * (rank - Math.floor(rank))
      }
      let before = share * this.#count
      const found = weighted.find(({ weight }) => {
        before -= weight
        return before < 0
      })
      return found?.value ?? this.#max
    }
  }
}
