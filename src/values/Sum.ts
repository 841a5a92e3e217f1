/** Sums of decimal amounts without accumulated rounding errors. */

import { Schema } from "effect"

/**
 * A sum of decimals that carries the rounding error of each addition along (Neumaier's compensated summation). Rounded
 * at 1e-9, 0.1 + 0.2 is 0.3, and sums of ten thousand such terms are exact.
 */
export const Sum = Schema.Struct({ sum: Schema.Finite, lost: Schema.Finite }).annotations({ identifier: "Sum" })

export type Sum = typeof Sum.Type

export const zero: Sum = { sum: 0, lost: 0 }

/** Adds a number. A sum beyond the largest number stays at the largest number. */
export const add = ({ sum, lost }: Sum, value: number): Sum => {
  const next = finite(sum + value)
  const error = Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum
  return { sum: next, lost: finite(lost + error) }
}

const finite = (number: number): number => Math.max(-Number.MAX_VALUE, Math.min(number, Number.MAX_VALUE))

/** The sum, rounded at 1e-9. */
export const value = ({ sum, lost }: Sum): number => round(finite(sum + lost))

/** Sums numbers, rounded at 1e-9. */
export const of = (values: ReadonlyArray<number>): number => value(values.reduce(add, zero))

/** Rounds at 1e-9; never returns −0. */
export const round = (number: number): number => Number(number.toFixed(9)) + 0
