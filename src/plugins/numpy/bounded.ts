/** Unbiased integers up to a bound, drawn as numpy draws them. */

import { high, type Pcg64 } from "./Pcg64.ts"

/**
 * An integer from 0 to `last` inclusive by Lemire's method, as numpy's `integers` draws int64. `last` is an integer
 * from 0 to 2^53 - 1. Below 2^32, it takes half a 64-bit draw; for 0, none.
 */
export const upTo = (bits: Pcg64, last: number): number => {
  if (last === 0) return 0
  if (last < 0xffffffff) return below32(bits, last + 1)
  return last === 0xffffffff ? bits.uint32() : below64(bits, BigInt(last) + 1n)
}

/**
 * An integer from 0 to `last` inclusive by masked rejection, as numpy's `shuffle` draws. `last` is an integer from 1 to
 * 2^32 - 1.
 */
export const masked = (bits: Pcg64, last: number): number => {
  const mask = 0xffffffff >>> Math.clz32(last)
  let word = (bits.uint32() & mask) >>> 0
  while (word > last) word = (bits.uint32() & mask) >>> 0
  return word
}

const below32 = (bits: Pcg64, bound: number): number => {
  let word = bits.uint32()
  // Computes the threshold only here: the leftover is rarely below the bound.
  if (Math.imul(word, bound) >>> 0 < bound) {
    const threshold = (0x100000000 - bound) % bound
    while (Math.imul(word, bound) >>> 0 < threshold) word = bits.uint32()
  }
  return high(word, bound)
}

const below64 = (bits: Pcg64, bound: bigint): number => {
  const threshold = ((1n << 64n) - bound) % bound
  let product = uint64(bits) * bound
  while (BigInt.asUintN(64, product) < threshold) product = uint64(bits) * bound
  return Number(product >> 64n)
}

const uint64 = (bits: Pcg64): bigint => (BigInt(bits.upper()) << 32n) | BigInt(bits.lower())
