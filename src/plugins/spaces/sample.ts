/** Samples values from spaces. */

import type { Generator, GraphSpace, Json, Nested, Space, TextSpace } from "../author.ts"
import { type Bounds, type Interval, intervalOf, isList, LONGEST_LIST, partOf } from "./bounds.ts"
import { cellsOf, longestText } from "./cells.ts"
import { dtypeOf } from "./dtypes.ts"

/**
 * Samples a value: uniform between two bounds, otherwise near 0 or near the one bound. A mask restricts it to legal
 * actions; `maskFlaw` lists the forms. A mask of another form has no effect. If nothing is legal, the result is the
 * first value, as in Gymnasium.
 *
 * A Sequence's length follows Gymnasium: 1 with probability 1/4, otherwise one more, and so on. A Graph has 1 to 10
 * nodes and fewer edges than pairs of nodes. Lists without a fixed length share a budget of 65,536 values; each 16
 * numbers or characters of a value count as one, so the total is about a million. A list ends before it would exceed
 * the budget.
 *
 * The samples differ from those of Gymnasium's `Space.sample`, and are the same on every platform.
 */
export const sample = (space: Space, rng: Generator, mask: Json = null): Json =>
  draw(space, rng, mask, { left: LONGEST_LIST, prices: new Map() })

/** The budget that remains for lists without a fixed length. */
interface Stock {
  left: number
  /** Cached costs of values: nested lists ask repeatedly. */
  readonly prices: Map<Space, number>
}

/** Numbers or characters that count as one value. The budget allows one value of the largest Box. */
const CELLS = 16

const priceOf = (space: Space, { prices }: Stock): number => {
  const known = prices.get(space)
  if (known !== undefined) return known
  const price = Math.max(1, Math.ceil(cellsOf(space) / CELLS))
  prices.set(space, price)
  return price
}

const draw = (space: Space, rng: Generator, mask: Json | undefined, stock: Stock): Json => {
  switch (space.type) {
    case "Box":
      return box(space, space.dtype, space.shape, rng)
    case "Discrete":
      return (space.start ?? 0) + discrete(space.n, rng, mask)
    case "MultiDiscrete":
      return multiDiscrete(space.nvec, space.start ?? 0, rng, mask)
    case "MultiBinary":
      return multiBinary(typeof space.n === "number" ? [space.n] : space.n, rng, mask)
    case "Tuple":
      return space.subspaces.map((subspace, index) => draw(subspace, rng, partIn(mask, index), stock))
    case "Dict": {
      const masks = new Map(typeof mask === "object" && mask !== null ? Object.entries(mask) : [])
      return Object.fromEntries(
        Object.entries(space.subspaces).map(([key, subspace]) => [key, draw(subspace, rng, masks.get(key), stock)]),
      )
    }
    case "Text":
      return text(space, rng)
    case "Sequence":
      return several(space.feature_space, lengthFrom(partIn(mask, 0), rng), rng, partIn(mask, 1), stock)
    case "Graph":
      return graph(space, rng, mask, stock)
    case "OneOf": {
      const index = rng.integers(space.subspaces.length)
      const subspace = space.subspaces[index]
      return [index, subspace === undefined ? null : draw(subspace, rng, partIn(mask, index), stock)]
    }
  }
}

const partIn = (mask: Json | undefined, index: number): Json => (Array.isArray(mask) ? (mask[index] ?? null) : null)

const several = (space: Space, length: number, rng: Generator, mask: Json, stock: Stock): ReadonlyArray<Json> => {
  const price = priceOf(space, stock)
  const count = Math.min(length, Math.floor(stock.left / price))
  stock.left -= count * price
  return Array.from({ length: count }, () => draw(space, rng, mask, stock))
}

/** Maximum length without a mask. One list in 10^8 would be longer. */
const LONGEST_DRAWN = 64

const lengthFrom = (mask: Json, rng: Generator): number => {
  if (typeof mask === "number") return mask
  if (Array.isArray(mask) && mask.length > 0) return Number(rng.choice(mask))
  let length = 1
  while (length < LONGEST_DRAWN && rng.random() >= 0.25) length++
  return length
}

const MOST_NODES = 10

const graph = ({ node_space, edge_space }: GraphSpace, rng: Generator, mask: Json | undefined, stock: Stock): Json => {
  const nodes = several(node_space, 1 + rng.integers(MOST_NODES), rng, partIn(mask, 0), stock)
  const count = nodes.length < 2 ? 0 : rng.integers(nodes.length * (nodes.length - 1))
  if (edge_space === undefined || edge_space === null || count === 0) return { nodes, edges: null, edge_links: null }
  const edges = several(edge_space, count, rng, partIn(mask, 1), stock)
  return { nodes, edges, edge_links: edges.map(() => [rng.integers(nodes.length), rng.integers(nodes.length)]) }
}

const box = (bounds: Bounds, dtype: string, [length, ...shape]: ReadonlyArray<number>, rng: Generator): Json => {
  if (length !== undefined) return Array.from({ length }, (_, index) => box(partOf(bounds, index), dtype, shape, rng))
  const interval = intervalOf(bounds, dtype)
  if (interval.whole) return wholeNumber(interval, rng)
  if (interval.truth) return wholeNumber(interval, rng) === 1
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

/** Approximately normal, in exact arithmetic: the sum of twelve uniform numbers has variance 1. */
const bell = (rng: Generator): number => rng.random(12).reduce((sum, drawn) => sum + drawn, -6)

/** The generator accepts intervals of up to 2^53 - 1 numbers. */
const WIDEST = Number.MAX_SAFE_INTEGER - 1

const wholeNumber = ({ low, high }: Interval, rng: Generator): number => {
  const from = high - low <= WIDEST ? low : Math.max(low, -(WIDEST / 2))
  return rng.integers(from, Math.min(high, from + WIDEST) + 1)
}

const discrete = (n: number, rng: Generator, mask: Json | undefined): number => {
  if (!Array.isArray(mask)) return rng.integers(n)
  const legal = mask.slice(0, n).flatMap((flag, index) => (flag === 1 || flag === true ? [index] : []))
  return legal.length === 0 ? 0 : rng.choice(legal)
}

const multiDiscrete = (nvec: Nested, start: Nested, rng: Generator, mask: Json | undefined): Json =>
  isList(nvec)
    ? nvec.map((part, index) =>
        multiDiscrete(part, isList(start) ? (start[index] ?? 0) : start, rng, partIn(mask, index)),
      )
    : Number(start) + discrete(nvec, rng, mask)

const multiBinary = ([length, ...shape]: ReadonlyArray<number>, rng: Generator, mask: Json | undefined): Json => {
  if (length !== undefined) return Array.from({ length }, (_, index) => multiBinary(shape, rng, partIn(mask, index)))
  return mask === 0 || mask === 1 ? mask : rng.integers(2)
}

const LETTERS_AND_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

const text = (space: TextSpace, rng: Generator): string => {
  const { min_length: least = 1, charset = LETTERS_AND_DIGITS } = space
  const characters = [...charset]
  const length = rng.integers(least, longestText(space) + 1)
  return Array.from({ length }, () => rng.choice(characters)).join("")
}
