/** Bounds of a Box, cell by cell, and of lists without a fixed length. */

import type { Bound, BoxSpace, Nested } from "../author.ts"
import { type Dtype, dtypeOf } from "./dtypes.ts"

/** The numbers that one cell of a Box accepts. */
export interface Interval {
  readonly low: number
  readonly high: number
  readonly whole: boolean
  /** Whether the values are false and true instead of 0 and 1. */
  readonly truth: boolean
}

/** Maximum number of values in a Sequence, and of nodes and edges in a Graph. */
export const LONGEST_LIST = 65_536

/** Bounds of a part of a Box: one for all its cells, or a list by part. */
export interface Bounds {
  readonly low: Nested<Bound | boolean>
  readonly high: Nested<Bound | boolean>
}

/** The bounds of the part at `index`. */
export const partOf = ({ low, high }: Bounds, index: number): Bounds => ({
  low: isList(low) ? (low[index] ?? 0) : low,
  high: isList(high) ? (high[index] ?? 0) : high,
})

/** The interval of a cell. A float32 bound may be given exactly or rounded; the interval includes both. */
export const intervalOf = ({ low, high }: Bounds, dtype: string): Interval => {
  const { whole, truth, least, greatest, rounded } = dtypeOf(dtype) ?? FLOAT64
  const [from, to] = [numberOf(low), numberOf(high)]
  return {
    low: whole ? Math.max(from, least) : Math.min(from, rounded(from)),
    high: whole ? Math.min(to, greatest) : Math.max(to, rounded(to)),
    whole,
    truth,
  }
}

export const numberOf = (bound: Nested<Bound | boolean>): number => (isList(bound) ? Number.NaN : Number(bound))

/** Whether one bound applies to every cell. */
export const isUniform = ({ low, high }: BoxSpace): boolean => !isList(low) && !isList(high)

export const isList = <A>(nested: Nested<A>): nested is ReadonlyArray<Nested<A>> => Array.isArray(nested)

const FLOAT64: Dtype = {
  whole: false,
  truth: false,
  least: -Number.MAX_VALUE,
  greatest: Number.MAX_VALUE,
  rounded: (number) => number,
}
