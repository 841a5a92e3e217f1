/**
 * numpy's bit generator `PCG64` (PCG XSL RR 128/64): 64 random bits per step of a 128-bit state. 32-bit arithmetic
 * takes half the time of `bigint`.
 */

import { generateState, type Seed } from "./SeedSequence.ts"

/** The state of a {@link Pcg64} as JSON: its two 128-bit numbers in hexadecimal, and the buffered half. */
export interface Pcg64State {
  readonly state: string
  readonly inc: string
  /** The unused upper half of the last 64 bits that `uint32` drew; null if it used both. */
  readonly uint32: number | null
}

/** A source of random bits. Every method advances the state. */
export interface Pcg64 {
  /** Draws 64 bits and returns the upper 32; `lower` returns the rest. */
  readonly upper: () => number
  /** The lower 32 bits of the last {@link upper}. */
  readonly lower: () => number
  /** 32 bits: the lower half of a 64-bit draw, and in the next call its upper half. */
  readonly uint32: () => number
  /** A number in [0, 1) with 53 random bits. Leaves the buffered half of `uint32` alone. */
  readonly double: () => number
  readonly state: () => Pcg64State
}

/** numpy's `PCG64(SeedSequence(seed))`. Throws a `RangeError` if the seed is not a `Seed`. */
export const seeded = (seed: Seed): Pcg64 => {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = generateState(seed, 8)
  const increment = [(g << 1) | 1, (h << 1) | (g >>> 31), (e << 1) | (h >>> 31), (f << 1) | (e >>> 31)].map(
    (word) => word >>> 0,
  )
  const start = make(increment, increment, null)
  return start.plus([c, d, a, b])
}

/** Continues from a state. Throws a `TypeError` if `state()` cannot have returned it. */
export const restored = (state: unknown): Pcg64 => {
  if (!isState(state))
    throw new TypeError("The state of a generator: expected { state, inc, uint32 }, as state() returns")
  return make(wordsOf(state.state), wordsOf(state.inc), state.uint32)
}

/** Whether a value has the form of a {@link Pcg64State}. */
export const isState = (value: unknown): value is Pcg64State =>
  typeof value === "object" &&
  value !== null &&
  "state" in value &&
  isHexadecimal(value.state) &&
  "inc" in value &&
  isHexadecimal(value.inc) &&
  "uint32" in value &&
  (value.uint32 === null || (typeof value.uint32 === "number" && value.uint32 >>> 0 === value.uint32))

const isHexadecimal = (value: unknown): value is string => typeof value === "string" && /^[0-9a-f]{32}$/.test(value)

/** The multiplier 0x2360ed051fc65da44385df649fccf645 in words, lowest first. */
const M0 = 0x9fccf645
const M1 = 0x4385df64
const M2 = 0x1fc65da4
const M3 = 0x2360ed05

const make = (
  [first = 0, second = 0, third = 0, fourth = 0]: ReadonlyArray<number>,
  increment: ReadonlyArray<number>,
  buffered: number | null,
): Pcg64 & { readonly plus: (words: ReadonlyArray<number>) => Pcg64 } => {
  let [s0, s1, s2, s3] = [first, second, third, fourth]
  const [i0 = 0, i1 = 0, i2 = 0, i3 = 0] = increment
  let buffer = buffered
  let low = 0
  const inc = hexadecimal(increment)
  /** The last state that was asked for, and the words of which it is made. */
  let known: { readonly words: ReadonlyArray<number>; readonly state: Pcg64State } | undefined

  /** state = state × multiplier + increment, modulo 2^128. Every sum stays below 2^53, so it is exact. */
  const step = (): void => {
    const r0 = (Math.imul(s0, M0) >>> 0) + i0
    const r1 = carry(r0) + high(s0, M0) + (Math.imul(s0, M1) >>> 0) + (Math.imul(s1, M0) >>> 0) + i1
    const r2 =
      carry(r1) +
      high(s0, M1) +
      high(s1, M0) +
      (Math.imul(s0, M2) >>> 0) +
      (Math.imul(s1, M1) >>> 0) +
      (Math.imul(s2, M0) >>> 0) +
      i2
    const r3 =
      carry(r2) +
      high(s0, M2) +
      high(s1, M1) +
      high(s2, M0) +
      (Math.imul(s0, M3) >>> 0) +
      (Math.imul(s1, M2) >>> 0) +
      (Math.imul(s2, M1) >>> 0) +
      (Math.imul(s3, M0) >>> 0) +
      i3
    s0 = r0 >>> 0
    s1 = r1 >>> 0
    s2 = r2 >>> 0
    s3 = r3 >>> 0
  }

  /** Upper half xor lower half, rotated right by the topmost six bits of the state. */
  const upper = (): number => {
    step()
    const rotation = s3 >>> 26
    const x = rotation < 32 ? s2 ^ s0 : s3 ^ s1
    const y = rotation < 32 ? s3 ^ s1 : s2 ^ s0
    const bits = rotation & 31
    low = bits === 0 ? x >>> 0 : ((x >>> bits) | (y << (32 - bits))) >>> 0
    return bits === 0 ? y >>> 0 : ((y >>> bits) | (x << (32 - bits))) >>> 0
  }

  const uint32 = (): number => {
    if (buffer !== null) {
      const half = buffer
      buffer = null
      return half
    }
    buffer = upper()
    return low
  }

  const double = (): number => {
    const top = upper()
    return ((top >>> 5) * 67108864 + (((top & 31) << 21) | (low >>> 11))) / 9007199254740992
  }

  return {
    upper,
    lower: () => low,
    uint32,
    double,
    state: () => {
      if (known !== undefined && known.state.uint32 === buffer) {
        const [k0, k1, k2, k3] = known.words
        if (s0 === k0 && s1 === k1 && s2 === k2 && s3 === k3) return known.state
      }
      const words = [s0, s1, s2, s3]
      // Worlds ask for it after each step, and draw in few of them.
      known = { words, state: Object.freeze({ state: hexadecimal(words), inc, uint32: buffer }) }
      return known.state
    },
    plus: ([w0 = 0, w1 = 0, w2 = 0, w3 = 0]) => {
      const r0 = s0 + w0
      const r1 = carry(r0) + s1 + w1
      const r2 = carry(r1) + s2 + w2
      const r3 = carry(r2) + s3 + w3
      const sum = make([r0 >>> 0, r1 >>> 0, r2 >>> 0, r3 >>> 0], increment, null)
      sum.upper()
      return sum
    },
  }
}

/** The upper 32 bits of the product of two 32-bit words, from 16-bit halves. */
export const high = (a: number, b: number): number => {
  const lower = a & 0xffff
  const upper = a >>> 16
  const right = b & 0xffff
  const left = b >>> 16
  const middle = Math.imul(upper, right) >>> 0
  const other = (Math.imul(lower, left) >>> 0) + (Math.imul(lower, right) >>> 16) + (middle & 0xffff)
  return (Math.imul(upper, left) >>> 0) + (middle >>> 16) + ((other / 65536) >>> 0)
}

const carry = (sum: number): number => (sum / 4294967296) >>> 0

const hexadecimal = (words: ReadonlyArray<number>): string =>
  words.reduceRight((text, word) => text + word.toString(16).padStart(8, "0"), "")

const wordsOf = (text: string): ReadonlyArray<number> =>
  [24, 16, 8, 0].map((start) => Number.parseInt(text.slice(start, start + 8), 16))
