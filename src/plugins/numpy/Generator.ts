/**
 * numpy's `Generator` over `PCG64`, for worlds. Each method draws exactly as numpy's method of that name does for
 * float64 and int64. Normal numbers are missing: numpy draws them from the tables of a ziggurat.
 */

import type { Generator } from "../author.ts"
import { masked, upTo } from "./bounded.ts"
import * as Pcg64 from "./Pcg64.ts"
import type { Seed } from "./SeedSequence.ts"

/** A generator's state as JSON. */
export type GeneratorState = Pcg64.Pcg64State

/** A generator with a state that can be saved. */
export interface StatefulGenerator extends Generator {
  /** {@link restored} continues from it. */
  readonly state: () => GeneratorState
}

/** numpy's `default_rng(seed)`. Throws a `RangeError` if the seed is not a `Seed`. */
export const seeded = (seed: Seed): StatefulGenerator => make(Pcg64.seeded(seed))

/** Continues the generator that returned `state` from `state()`. Throws a `TypeError` if the state is invalid. */
export const restored = (state: unknown): StatefulGenerator => make(Pcg64.restored(state))

const make = (bits: Pcg64.Pcg64): StatefulGenerator => {
  function random(): number
  function random(count: number): Array<number>
  function random(count?: number) {
    return drawn(bits.double, count)
  }

  function uniform(low: number, high: number): number
  function uniform(low: number, high: number, count: number): Array<number>
  function uniform(low: number, high: number, count?: number) {
    const range = high - low
    if (!(range >= 0 && range < Infinity))
      throw new RangeError(`uniform: expected finite low <= high, found ${low} and ${high}`)
    return drawn(() => low + range * bits.double(), count)
  }

  function integers(low: number, high?: number): number
  function integers(low: number, high: number | undefined, count: number): Array<number>
  function integers(low: number, high?: number, count?: number) {
    const [first, end] = high === undefined ? [0, low] : [low, high]
    if (!(Number.isSafeInteger(first) && Number.isSafeInteger(end - first) && first < end))
      throw new RangeError(`integers: expected whole numbers low < high up to 2^53 - 1, found ${first} and ${end}`)
    return drawn(() => first + upTo(bits, end - first - 1), count)
  }

  function choice(below: number, p?: ReadonlyArray<number>): number
  function choice<A>(list: ReadonlyArray<A>, p?: ReadonlyArray<number>): A
  function choice(from: number | ReadonlyArray<unknown>, p?: ReadonlyArray<number>) {
    const size = typeof from === "number" ? from : from.length
    const index = p === undefined ? integers(size) : weighted(p, size, bits.double)
    return typeof from === "number" ? index : from[index]
  }

  const shuffle = (list: Array<unknown>): void => {
    for (let last = list.length - 1; last > 0; last--) {
      const other = masked(bits, last)
      ;[list[last], list[other]] = [list[other], list[last]]
    }
  }

  function permutation(below: number): Array<number>
  function permutation<A>(list: ReadonlyArray<A>): Array<A>
  function permutation(from: number | ReadonlyArray<unknown>) {
    const list = typeof from === "number" ? Array.from({ length: from }, (_, index) => index) : [...from]
    shuffle(list)
    return list
  }

  return {
    random,
    uniform,
    integers,
    choice,
    // If no sum exceeds the number, the result is 0, like `argmax` of an all-false list.
    categorical: (p) => Math.max(0, firstAbove(p, bits.double())),
    shuffle,
    permutation,
    state: bits.state,
  }
}

const drawn = (draw: () => number, count: number | undefined): number | Array<number> =>
  count === undefined ? draw() : Array.from({ length: count }, draw)

/** The first index at which the cumulative probability exceeds a number; -1 if none does. */
const firstAbove = (p: ReadonlyArray<number>, number: number): number => {
  let sum = 0
  return p.findIndex((probability) => {
    sum += probability
    return sum > number
  })
}

/** numpy's tolerance for the sum of probabilities. */
const TOLERANCE = Math.sqrt(Number.EPSILON)

/** Divides the cumulative sums by the last one, as numpy does, so that it always exceeds the drawn number. */
const weighted = (p: ReadonlyArray<number>, size: number, draw: () => number): number => {
  let sum = 0
  const sums = p.map((probability) => {
    if (!(probability >= 0)) throw new RangeError(`choice: expected probabilities of at least 0, found ${probability}`)
    sum += probability
    return sum
  })
  if (p.length !== size || !(Math.abs(sum - 1) <= TOLERANCE))
    throw new RangeError(`choice: expected ${size} probabilities that sum up to 1, found ${p.length} of sum ${sum}`)
  const number = draw()
  return sums.findIndex((each) => each / sum > number)
}
