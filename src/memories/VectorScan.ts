/** The nearest vectors by a scan over all of them, in typed arrays. */

import { Effect } from "effect"
import { yieldToEventLoop } from "../platform/yieldToEventLoop.ts"

/** A vector that is near. */
export interface Near {
  readonly position: number
  /** The cosine of the angle between both vectors, from -1 to 1. */
  readonly similarity: number
}

/** Number of components that the scan compares before it yields: a few milliseconds. */
const SLICE = 4_000_000

/** Vectors of one length, each with its memory's position and a number that stands for its scope. */
export class VectorScan {
  readonly dimensions: number
  #count = 0
  #positions = new Float64Array(64)
  #scopes = new Int32Array(64)
  #vectors: Float32Array
  readonly #slots = new Map<number, number>()

  constructor(dimensions: number) {
    this.dimensions = dimensions
    this.#vectors = new Float32Array(64 * dimensions)
  }

  get size(): number {
    return this.#count
  }

  /** Adds a memory's vector, or replaces it. */
  set(position: number, scope: number, vector: Float32Array): void {
    const slot = this.#slots.get(position) ?? this.#count
    if (slot === this.#positions.length) this.#grow()
    if (slot === this.#count) this.#count += 1
    this.#slots.set(position, slot)
    this.#positions[slot] = position
    this.#scopes[slot] = scope
    this.#vectors.set(vector, slot * this.dimensions)
  }

  /**
   * The nearest vectors, the nearest first, and of equals the newest first. Looks only at memories whose position and
   * scope `isWanted` accepts.
   */
  nearest(
    query: Float32Array,
    isWanted: (position: number, scope: number) => boolean,
    limit: number,
  ): Effect.Effect<ReadonlyArray<Near>> {
    return Effect.gen(this, function* () {
      // The arrays as they are now: `set` may replace them while this scan yields.
      const [positions, scopes, vectors, count, size] = [
        this.#positions,
        this.#scopes,
        this.#vectors,
        this.#count,
        this.dimensions,
      ]
      const found: Array<Near> = []
      const rows = Math.max(1, Math.floor(SLICE / size))
      for (let from = 0; from < count; from += rows) {
        if (from > 0) yield* yieldToEventLoop
        const until = Math.min(count, from + rows)
        for (let slot = from; slot < until; slot++) {
          const position = positions[slot] as number
          if (!isWanted(position, scopes[slot] as number)) continue
          const similarity = dot(query, vectors, slot * size, size)
          const last = found[found.length - 1]
          if (found.length === limit && last !== undefined && !isBefore(similarity, position, last)) continue
          insert(found, { position, similarity }, limit)
        }
      }
      return found
    })
  }

  #grow(): void {
    const grown = <Of extends Float64Array | Int32Array | Float32Array>(made: Of, before: Of): Of => {
      made.set(before as never)
      return made
    }
    const size = this.#positions.length * 2
    this.#positions = grown(new Float64Array(size), this.#positions)
    this.#scopes = grown(new Int32Array(size), this.#scopes)
    this.#vectors = grown(new Float32Array(size * this.dimensions), this.#vectors)
  }
}

/** Four sums, so that the processor need not wait for each addition. */
const dot = (query: Float32Array, vectors: Float32Array, at: number, size: number): number => {
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  const whole = size - (size % 4)
  let index = 0
  for (; index < whole; index += 4) {
    a += (query[index] as number) * (vectors[at + index] as number)
    b += (query[index + 1] as number) * (vectors[at + index + 1] as number)
    c += (query[index + 2] as number) * (vectors[at + index + 2] as number)
    d += (query[index + 3] as number) * (vectors[at + index + 3] as number)
  }
  for (; index < size; index++) a += (query[index] as number) * (vectors[at + index] as number)
  return a + b + c + d
}

const isBefore = (similarity: number, position: number, other: Near): boolean =>
  similarity > other.similarity || (similarity === other.similarity && position > other.position)

const insert = (found: Array<Near>, one: Near, limit: number): void => {
  let at = found.length
  while (at > 0 && isBefore(one.similarity, one.position, found[at - 1] as Near)) at -= 1
  found.splice(at, 0, one)
  if (found.length > limit) found.pop()
}
