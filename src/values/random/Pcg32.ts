/**
 * PCG-XSH-RR (https://www.pcg-random.org) with the increment and the draws of Effect 3's `PCGRandom`, so that seeds in
 * logs keep their meaning in later versions of Effect. Not for secrets.
 */

const MASK = 0xffff_ffff_ffff_ffffn
const MULTIPLIER = 0x5851_f42d_4c95_7f2dn
const INCREMENT = 0x1405_7b7e_f767_814fn

export interface Pcg32 {
  /** From [0, 1), with 53 random bits. */
  readonly number: () => number
  /** A whole number from [0, max). */
  readonly integer: (max: number) => number
}

/** Seeds a generator with the low 32 bits of `seed`. */
export const make = (seed: number): Pcg32 => {
  let state = 0n
  const next = (): number => {
    const old = state
    state = (old * MULTIPLIER + INCREMENT) & MASK
    const shifted = Number((((old >> 18n) ^ old) >> 27n) & 0xffff_ffffn)
    const by = Number(old >> 59n)
    return ((shifted >>> by) | (shifted << (-by & 31))) >>> 0
  }
  const number = () => {
    const [high, low] = [next() & 0x3ff_ffff, next() & 0x7ff_ffff]
    return (high * 2 ** 27 + low) / 2 ** 53
  }
  next()
  state = (state + BigInt(seed >>> 0)) & MASK
  next()
  return { number, integer: (max) => Math.round(number() * Number.MAX_SAFE_INTEGER) % max }
}
