/**
 * Numbers of about 106 bits: the unevaluated sum of two doubles, the first of which is the sum rounded. Only `+`, `-`,
 * `*`, `/` and `Math.sqrt` are used. IEEE 754 defines their rounding, so results have the same bits in every engine.
 * Algorithms by Dekker, Knuth, and Boldo and Melquiond (`fma`).
 */

/** `high + low`; `high` is the sum rounded to nearest. */
export type DoubleDouble = readonly [high: number, low: number]

/** Converts a number exactly. */
export const exactly = (value: number): DoubleDouble => [value, 0]

/** The exact sum. */
export const twoSum = (a: number, b: number): DoubleDouble => {
  const sum = a + b
  const other = sum - a
  return [sum, a - (sum - other) + (b - other)]
}

/** The exact sum, if the first number is the larger one. */
const quickTwoSum = (a: number, b: number): DoubleDouble => {
  const sum = a + b
  return [sum, b - (sum - a)]
}

/** 2^27 + 1: splits a number into halves of 26 bits. */
const SPLITTER = 134217729

/** The exact product of numbers below 2^996, unless it overflows or underflows. */
export const twoProduct = (a: number, b: number): DoubleDouble => {
  const product = a * b
  const wideA = SPLITTER * a
  const highA = wideA - (wideA - a)
  const lowA = a - highA
  const wideB = SPLITTER * b
  const highB = wideB - (wideB - b)
  const lowB = b - highB
  return [product, lowA * lowB - (product - highA * highB - lowA * highB - highA * lowB)]
}

/** The sum, with an error of a few units in the 106th bit even under cancellation. */
export const add = ([a, a2]: DoubleDouble, [b, b2]: DoubleDouble): DoubleDouble => {
  const [high, error] = twoSum(a, b)
  const [low, error2] = twoSum(a2, b2)
  const [sum, rest] = quickTwoSum(high, error + low)
  return quickTwoSum(sum, rest + error2)
}

/** The negative. */
export const negated = ([high, low]: DoubleDouble): DoubleDouble => [-high, -low]

/** The difference. */
export const subtract = (a: DoubleDouble, b: DoubleDouble): DoubleDouble => add(a, negated(b))

/** The product. */
export const multiply = ([a, a2]: DoubleDouble, [b, b2]: DoubleDouble): DoubleDouble => {
  const [high, low] = twoProduct(a, b)
  return quickTwoSum(high, low + (a * b2 + a2 * b))
}

/** The quotient. */
export const divide = (a: DoubleDouble, b: DoubleDouble): DoubleDouble => {
  const first = a[0] / b[0]
  const rest = subtract(a, multiply(b, [first, 0]))
  const second = rest[0] / b[0]
  const third = subtract(rest, multiply(b, [second, 0]))[0] / b[0]
  const [high, low] = quickTwoSum(first, second)
  return add([high, low], [third, 0])
}

/** The square root of a non-negative number. */
export const squareRoot = (a: DoubleDouble): DoubleDouble => {
  if (a[0] === 0) return [0, 0]
  const root = Math.sqrt(a[0])
  const [rest] = subtract(a, twoProduct(root, root))
  const second = rest / (2 * root)
  const [rest2] = subtract(a, multiply(quickTwoSum(root, second), quickTwoSum(root, second)))
  return add(quickTwoSum(root, second), [rest2 / (2 * root), 0])
}

/** Multiplies by a power of two, without overflow or underflow. */
export const scaled = ([high, low]: DoubleDouble, factor: number): DoubleDouble => [high * factor, low * factor]

const double = new Float64Array(1)
const words = new Uint32Array(double.buffer)

/** The upper word of a number's bits; {@link lowWord} then returns the lower one. */
export const highWord = (value: number): number => {
  double[0] = value
  return words[1] ?? 0
}

/** The lower word of the last {@link highWord}. */
export const lowWord = (): number => words[0] ?? 0

/** The number with these bits. */
export const fromWords = (high: number, low: number): number => {
  words[1] = high
  words[0] = low
  return double[0] ?? 0
}

/** `a + b` rounded to odd: an inexact result gets a last bit of 1, so that rounding it again equals rounding once. */
const sumRoundedToOdd = (a: number, b: number): number => {
  const [sum, error] = twoSum(a, b)
  if (error === 0) return sum
  double[0] = sum
  const low = words[0] ?? 0
  if ((low & 1) === 1) return sum
  // The neighbour towards the error: larger in magnitude if error and sum share their sign.
  if (error > 0 === sum > 0) {
    words[0] = low + 1
    return double[0]
  }
  words[0] = low - 1
  if (low === 0) words[1] = (words[1] ?? 0) - 1
  return double[0]
}

/** `a × b + c` with one rounding, as processors compute it. No intermediate result may overflow or underflow. */
export const fma = (a: number, b: number, c: number): number => {
  const [high, low] = twoProduct(a, b)
  const [middle, least] = twoSum(c, low)
  const [upper, lower] = twoSum(high, middle)
  return upper + sumRoundedToOdd(least, lower)
}
