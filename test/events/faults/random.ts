/** Numbers that look random and are always the same for a seed: from 0 up to and not including 1. */
export const seeded = (seed: number): (() => number) => {
  let state = seed >>> 0
  // Mulberry32.
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The seed of this run: another one each time, unless HINDCAST_SEED says which. */
export const SEED = Number(process.env.HINDCAST_SEED ?? Math.floor(Math.random() * 2 ** 31))
