/**
 * numpy's `SeedSequence`: mixes a seed into random words, so that similar seeds give unrelated generators. Bit-exact
 * with `numpy.random.SeedSequence(seed).generate_state(count)`.
 */

/** An integer from 0 to 2^53 - 1, or a list of them. */
export type Seed = number | ReadonlyArray<number>

const POOL_SIZE = 4
const INIT_A = 0x43b0d7e5
const MULT_A = 0x931e8875
const INIT_B = 0x8b51f9dd
const MULT_B = 0x58f38ded
const MIX_LEFT = 0xca01f9dd
const MIX_RIGHT = 0x4973f715

/** Whether numpy and this module accept the seed. */
export const isSeed = (value: unknown): value is Seed =>
  Array.isArray(value) ? value.length > 0 && value.every(isWhole) : isWhole(value)

/** The first `count` 32-bit words of a seed. Throws a `RangeError` if it is not a {@link Seed}. */
export const generateState = (seed: Seed, count: number): ReadonlyArray<number> => {
  const pool = mixed(entropyOf(seed))
  let hash = INIT_B
  return Array.from({ length: count }, (_, index) => {
    let word = at(pool, index % POOL_SIZE) ^ hash
    hash = Math.imul(hash, MULT_B)
    word = Math.imul(word, hash)
    return (word ^ (word >>> 16)) >>> 0
  })
}

/** The seed's 32-bit words, lowest first. */
const entropyOf = (seed: Seed): ReadonlyArray<number> => {
  if (!isSeed(seed))
    throw new RangeError(
      `The seed ${JSON.stringify(seed)}: expected a whole number from 0 to 2^53 - 1, or a list of them`,
    )
  return (typeof seed === "number" ? [seed] : seed).flatMap((number) =>
    number <= 0xffffffff ? [number] : [number >>> 0, Math.floor(number / 2 ** 32)],
  )
}

const mixed = (entropy: ReadonlyArray<number>): ReadonlyArray<number> => {
  let hash = INIT_A
  const hashed = (value: number): number => {
    let word = value ^ hash
    hash = Math.imul(hash, MULT_A)
    word = Math.imul(word, hash)
    return word ^ (word >>> 16)
  }
  const pool = Array.from({ length: POOL_SIZE }, (_, index) => hashed(entropy[index] ?? 0))
  for (let from = 0; from < POOL_SIZE; from++)
    for (let to = 0; to < POOL_SIZE; to++) if (from !== to) pool[to] = mix(at(pool, to), hashed(at(pool, from)))
  for (const word of entropy.slice(POOL_SIZE))
    for (let to = 0; to < POOL_SIZE; to++) pool[to] = mix(at(pool, to), hashed(word))
  return pool
}

const mix = (left: number, right: number): number => {
  const word = Math.imul(MIX_LEFT, left) - Math.imul(MIX_RIGHT, right)
  return word ^ (word >>> 16)
}

const isWhole = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0

const at = (words: ReadonlyArray<number>, index: number): number => words[index] ?? 0
