/** Draws values from spaces. */

import type { Generator, Json, Nested, Space, TextSpace } from "../author.ts"
import { type Bounds, type Interval, intervalOf, isList, partOf } from "./bounds.ts"
import { dtypeOf } from "./dtypes.ts"

/**
 * A value of the space: uniform where it is bounded, and near 0 or near its one bound where it is not. A mask leaves the
 * actions that are legal, in Gymnasium's forms: for Discrete a list of 0 and 1; for MultiDiscrete such a list for each
 * number; for MultiBinary 0, 1 or, for both, 2; for Tuple and Dict the parts' masks. A null mask, or one of a form that
 * the space does not have, leaves everything; if nothing is legal, the first value is drawn, as by Gymnasium.
 *
 * The draws are not those of Gymnasium's `Space.sample`. They are the same on every platform.
 */
export const sample = (space: Space, rng: Generator, mask: Json = null): Json => {
  switch (space.type) {
    case "Box":
      return box(space, space.dtype, space.shape, rng)
    case "Discrete":
      return (space.start ?? 0) + discrete(space.n, rng, mask)
    case "MultiDiscrete":
      return multiDiscrete(space.nvec, rng, mask)
    case "MultiBinary":
      return multiBinary(typeof space.n === "number" ? [space.n] : space.n, rng, mask)
    case "Tuple":
      return space.subspaces.map((subspace, index) => sample(subspace, rng, Array.isArray(mask) ? mask[index] : null))
    case "Dict": {
      const masks = new Map(typeof mask === "object" && mask !== null ? Object.entries(mask) : [])
      return Object.fromEntries(
        Object.entries(space.subspaces).map(([key, subspace]) => [key, sample(subspace, rng, masks.get(key))]),
      )
    }
    case "Text":
      return text(space, rng)
  }
}

const box = (bounds: Bounds, dtype: string, [length, ...shape]: ReadonlyArray<number>, rng: Generator): Json => {
  if (length !== undefined) return Array.from({ length }, (_, index) => box(partOf(bounds, index), dtype, shape, rng))
  const interval = intervalOf(bounds, dtype)
  if (interval.whole) return wholeNumber(interval, rng)
  const drawn = Math.min(Math.max(number(interval, rng), interval.low), interval.high)
  return (dtypeOf(dtype)?.rounded(drawn) ?? drawn) + 0
}

const number = ({ low, high }: Interval, rng: Generator): number => {
  if (low === -Infinity) return high === Infinity ? bell(rng) : high - Math.abs(bell(rng))
  if (high === Infinity) return low + Math.abs(bell(rng))
  const share = rng.random()
  // The difference of two finite numbers can be infinite.
  return low * (1 - share) + high * share
}

/** Nearly normal, with exact arithmetic: the sum of twelve uniform numbers has variance 1. */
const bell = (rng: Generator): number => rng.random(12).reduce((sum, drawn) => sum + drawn, -6)

/** The generator takes intervals of up to 2^53 - 1 numbers. */
const WIDEST = Number.MAX_SAFE_INTEGER - 1

const wholeNumber = ({ low, high }: Interval, rng: Generator): number => {
  const from = high - low <= WIDEST ? low : Math.max(low, -(WIDEST / 2))
  return rng.integers(from, Math.min(high, from + WIDEST) + 1)
}

const discrete = (n: number, rng: Generator, mask: Json): number => {
  if (!Array.isArray(mask)) return rng.integers(n)
  const legal = mask.slice(0, n).flatMap((flag, index) => (flag === 1 || flag === true ? [index] : []))
  return legal.length === 0 ? 0 : rng.choice(legal)
}

const multiDiscrete = (nvec: Nested, rng: Generator, mask: Json): Json =>
  isList(nvec)
    ? nvec.map((part, index) => multiDiscrete(part, rng, Array.isArray(mask) ? mask[index] : null))
    : discrete(nvec, rng, mask)

const multiBinary = ([length, ...shape]: ReadonlyArray<number>, rng: Generator, mask: Json): Json => {
  if (length !== undefined)
    return Array.from({ length }, (_, index) => multiBinary(shape, rng, Array.isArray(mask) ? mask[index] : null))
  return mask === 0 || mask === 1 ? mask : rng.integers(2)
}

const LETTERS_AND_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/** Longest text drawn from a space that admits longer ones, unless it asks for more. */
const LONGEST_TEXT = 1000

const text = (
  { min_length: least = 1, max_length, charset = LETTERS_AND_DIGITS }: TextSpace,
  rng: Generator,
): string => {
  const characters = [...charset]
  const length = rng.integers(least, Math.max(least, Math.min(max_length, LONGEST_TEXT)) + 1)
  return Array.from({ length }, () => rng.choice(characters)).join("")
}
