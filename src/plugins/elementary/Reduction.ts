/** Reduces any angle to sixteenths of π and a rest. */
import { add, type DoubleDouble, exactly, highWord, twoProduct, twoSum } from "./DoubleDouble.ts"

/** π/16 in parts. The first three have 30 bits: their products with up to 2^23 are exact. */
const PARTS = [0.19634954072535038, 1.2401169739544027e-10, 6.462728723612812e-20] as const
const LAST = [3.6298199674742006e-29, -2.188067913666356e-45] as const
const PER_STEP = 5.092958178940651

/** Below it, there are fewer than 2^23 steps. */
const LARGE = 2 ** 20

/** An angle of `steps × π/16 + rest`. `|rest|` is at most about π/32, and `steps` is modulo 32. */
export interface Reduced {
  readonly steps: number
  readonly rest: DoubleDouble
}

/** Reduces a finite angle. The relative error of the rest is below 2^-100 for angles of any size. */
export const reduced = (angle: number): Reduced => {
  if (Math.abs(angle) >= LARGE) return reducedLarge(angle)
  const count = Math.round(angle * PER_STEP)
  if (count === 0) return { steps: 0, rest: exactly(angle) }
  const [first, second, third] = PARTS
  const [high, low] = twoSum(angle - count * first, -count * second)
  const [middle, least] = twoSum(low, -count * third)
  const [product, error] = twoProduct(-count, LAST[0])
  const rest = add(add([high, middle], exactly(least)), add([product, error], exactly(-count * LAST[1])))
  return { steps: count & 31, rest }
}

/** Bits of π for the largest double, and 200 more. */
const SCALE = 1300n

/** π × 2^SCALE, by Machin's formula. */
const scaledPi = (): bigint => {
  const one = 1n << (SCALE + 64n)
  const arctangentOfInverse = (x: bigint): bigint => {
    let sum = 0n
    for (let power = one / x, n = 1n; power !== 0n; power /= x * x, n += 2n)
      sum += n % 4n === 1n ? power / n : -power / n
    return sum
  }
  return (16n * arctangentOfInverse(5n) - 4n * arctangentOfInverse(239n)) >> 64n
}

let step: bigint | undefined

const reducedLarge = (angle: number): Reduced => {
  const magnitude = Math.abs(angle)
  // A double of this size is a multiple of 2^-32.
  const value = magnitude < 2 ** 60 ? BigInt(magnitude * 2 ** 32) << (SCALE - 32n) : BigInt(magnitude) << SCALE
  step ??= scaledPi() >> 4n
  const count = (2n * value + step) / (2n * step)
  const rest = toDoubleDouble(value - count * step)
  const sign = angle < 0 ? -1 : 1
  return { steps: (sign * Number(count & 31n)) & 31, rest: [sign * rest[0], sign * rest[1]] }
}

/** An integer / 2^SCALE, below 1. */
const toDoubleDouble = (value: bigint): DoubleDouble => {
  const magnitude = value < 0n ? -value : value
  // Relatively, no double is nearer to a multiple of π/16 than 2^-70: 700 bits suffice to find the size of the rest,
  // and 160 of them decide.
  const exponent = (highWord(Number(magnitude >> (SCALE - 700n))) >>> 20) - 1023
  const excess = SCALE - 700n + BigInt(exponent) - 160n
  const bits = magnitude >> excess
  const high = Number(bits)
  const low = Number(bits - BigInt(high))
  const factor = 2 ** Number(excess - SCALE)
  const sign = value < 0n ? -1 : 1
  return [sign * high * factor, sign * low * factor]
}
