/**
 * Numbers of about 106 bits as the unevaluated sum of two doubles, of which the first is the sum rounded. Only `+`, `-`, `*`, `/` and
 * `Math.sqrt` are used, which IEEE 754 rounds the same way everywhere, so that results have the same bits in every engine. The algorithms are
 * those of Dekker, Knuth, and Boldo and Melquiond (`fma`).
 */

/** `high + low`, where `high` is the sum rounded to nearest. */
export type DoubleDouble = readonly [high: number, low: number]

/** A number as a {@link DoubleDouble}. */
export const exactly = (value: number): DoubleDouble => [value, 0]

/** The sum of two numbers, exactly. */
export const twoSum = (a: number, b: number): DoubleDouble => {
  const sum = a + b
  const other = sum - a
  return [sum, a - (sum - other) + (b - other)]
}

/** The sum of two numbers, exactly, where the first is the larger one. */
const quickTwoSum = (a: number, b: number): DoubleDouble => {
  const sum = a + b
  return [sum, b - (sum - a)]
}

/** 2^27 + 1: splits a number into two halves of 26 bits. */
const SPLITTER = 134217729

/** The product of two numbers, exactly, unless it over- or underflows. The numbers are below 2^996. */
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

/** The sum of two numbers, with an error of a few units in the 106th bit, also where they cancel each other out. */
export const add = ([a, a2]: DoubleDouble, [b, b2]: DoubleDouble): DoubleDouble => {
  const [high, error] = twoSum(a, b)
  const [low, error2] = twoSum(a2, b2)
  const [sum, rest] = quickTwoSum(high, error + low)
  return quickTwoSum(sum, rest + error2)
}

/** The number with the other sign. */
export const negated = ([high, low]: DoubleDouble): DoubleDouble => [-high, -low]

/** The first number minus the second one. */
export const subtract = (a: DoubleDouble, b: DoubleDouble): DoubleDouble => add(a, negated(b))

/** The product of two numbers. */
export const multiply = ([a, a2]: DoubleDouble, [b, b2]: DoubleDouble): DoubleDouble => {
  const [high, low] = twoProduct(a, b)
  return quickTwoSum(high, low + (a * b2 + a2 * b))
}

/** The first number divided by the second one. */
export const divide = (a: DoubleDouble, b: DoubleDouble): DoubleDouble => {
  const first = a[0] / b[0]
  const rest = subtract(a, multiply(b, [first, 0]))
  const second = rest[0] / b[0]
  const third = subtract(rest, multiply(b, [second, 0]))[0] / b[0]
  const [high, low] = quickTwoSum(first, second)
  return add([high, low], [third, 0])
}

/** The square root of a number that is not negative. */
export const squareRoot = (a: DoubleDouble): DoubleDouble => {
  if (a[0] === 0) return [0, 0]
  const root = Math.sqrt(a[0])
  const [rest] = subtract(a, twoProduct(root, root))
  const second = rest / (2 * root)
  const [rest2] = subtract(a, multiply(quickTwoSum(root, second), quickTwoSum(root, second)))
  return add(quickTwoSum(root, second), [rest2 / (2 * root), 0])
}

/** The number times a power of two that neither over- nor underflows. */
export const scaled = ([high, low]: DoubleDouble, factor: number): DoubleDouble => [high * factor, low * factor]

const double = new Float64Array(1)
const words = new Uint32Array(double.buffer)

/** The bits of a number, as two words: {@link lowWord} then returns the lower one. */
export const highWord = (value: number): number => {
  double[0] = value
  return words[1] ?? 0
}

/** The lower word of the number that {@link highWord} was called with. */
export const lowWord = (): number => words[0] ?? 0

/** The number that has these bits. */
export const fromWords = (high: number, low: number): number => {
  words[1] = high
  words[0] = low
  return double[0] ?? 0
}

/** `a + b`, rounded to odd: the last bit of what is not exact is 1, so that rounding it again is as rounding once. */
const sumRoundedToOdd = (a: number, b: number): number => {
  const [sum, error] = twoSum(a, b)
  if (error === 0) return sum
  double[0] = sum
  const low = words[0] ?? 0
  if ((low & 1) === 1) return sum
  // The neighbour in the direction of the error: its magnitude is larger if the error has the sign of the sum.
  if (error > 0 === sum > 0) {
    words[0] = low + 1
    return double[0]
  }
  words[0] = low - 1
  if (low === 0) words[1] = (words[1] ?? 0) - 1
  return double[0]
}

/** `a × b + c` with one rounding, as processors compute it. Nothing may over- or underflow on the way. */
export const fma = (a: number, b: number, c: number): number => {
  const [high, low] = twoProduct(a, b)
  const [middle, least] = twoSum(c, low)
  const [upper, lower] = twoSum(high, middle)
  return upper + sumRoundedToOdd(least, lower)
}
