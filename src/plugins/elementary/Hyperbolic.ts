/**
 * Hyperbolic functions, roots and logarithms with intermediate results of about 100 bits: correctly rounded in all but
 * about one case in 2^45.
 */
import {
  add,
  type DoubleDouble,
  divide,
  exactly,
  multiply,
  scaled,
  squareRoot,
  subtract,
  twoProduct,
  twoSum,
} from "./DoubleDouble.ts"
import { exp, log } from "./Exponential.ts"
import { inverseFactorial, nearly, TINY } from "./Series.ts"

/** ln 2 in parts. The first two have 32 bits: their products with an exponent are exact. */
const LN2 = [0.6931471803691238, 1.9082149288430703e-10, 4.275175589747649e-20, -9.89608398339473e-37] as const
const INVERSE_LN2: DoubleDouble = [Math.LOG2E, 2.0355273740931033e-17]
const INVERSE_LN10: DoubleDouble = [Math.LOG10E, 1.098319650216765e-17]

/** Halvings of a power series' argument, each undone by squaring the result. */
const HALVINGS = 5

/** e^x = 2^exponent × (1 + rest), with a small rest. */
interface Power {
  readonly exponent: number
  readonly rest: DoubleDouble
}

/** e^x far from overflow and underflow. */
const powerOf = (x: number): Power => {
  const exponent = Math.round(x * INVERSE_LN2[0])
  const [first, second, third, fourth] = LN2
  const [high, low] = twoSum(x - exponent * first, -exponent * second)
  const [product, error] = twoProduct(-exponent, third)
  const r = scaled(add([high, low], add([product, error], exactly(-exponent * fourth))), 2 ** -HALVINGS)
  // Terms above the eighth need only a double's precision.
  let small = 0
  for (let n = 14; n > 8; n--) small = inverseFactorial(n)[0] + small * r[0]
  let sum: DoubleDouble = exactly(small)
  for (let n = 8; n > 0; n--) sum = add(inverseFactorial(n), multiply(r, sum))
  let rest = multiply(r, sum)
  for (let halving = 0; halving < HALVINGS; halving++) rest = multiply(rest, add(exactly(2), rest))
  return { exponent, rest }
}

/** e^x - 1 for |x| below 700. */
const lessOne = (x: number): DoubleDouble => {
  const { exponent, rest } = powerOf(x)
  if (exponent === 0) return rest
  const scale = 2 ** exponent
  return add(twoSum(scale, -1), scaled(rest, scale))
}

/** e^x - 1, accurate for small x. */
export const expm1 = (x: number): number => {
  if (Math.abs(x) < 2 ** -55) return x
  if (x > 700 || Number.isNaN(x)) return exp(x)
  return x < -60 ? -1 : lessOne(x)[0]
}

/** log(1 + x) for x above -1, improved from the estimate `first`. */
const refined = (x: DoubleDouble, first: number): DoubleDouble => {
  const rest = lessOne(first)
  const d = divide(subtract(x, rest), add(exactly(1), rest))
  return add(exactly(first), subtract(d, scaled(multiply(d, d), 0.5)))
}

/** log(1 + x), with 1 + x neither near 0 nor extreme. */
const logOfOneMore = (x: DoubleDouble): DoubleDouble => {
  const sum = 1 + x[0]
  const first = Math.abs(x[0]) < TINY ? x[0] - (x[0] * x[0]) / 2 : log(sum) + (x[0] - (sum - 1)) / sum
  return refined(x, first)
}

/** log(x) for a positive, finite number. */
const logOf = (x: number): DoubleDouble => {
  if (x > 0.5 && x < 2) return logOfOneMore(exactly(x - 1))
  const first = log(x)
  // x × e^-first is near 1. Since x may be extreme, its power of two comes off first.
  const { exponent, rest } = powerOf(first)
  const half = Math.trunc(exponent / 2)
  const mantissa = x * 2 ** -half * 2 ** (half - exponent)
  const one = add(exactly(1), rest)
  return add(exactly(first), divide(subtract(exactly(mantissa), one), one))
}

/** log(1 + x), accurate for small x. */
export const log1p = (x: number): number => {
  if (!(x > -1)) return x === -1 ? -Infinity : Number.NaN
  if (Math.abs(x) < 2 ** -55 || x === Infinity) return x
  if (x > 2 ** 60) return log(x)
  const sum = twoSum(1, x)
  if (x < -0.5) return logOf(sum[0])[0]
  if (x < 1) return logOfOneMore(exactly(x))[0]
  const first = logOf(sum[0])
  return add(first, exactly(sum[1] / sum[0]))[0]
}

/** The logarithm where it is infinite or undefined. */
const edge = (x: number): number | undefined => (x > 0 && x < Infinity ? undefined : log(x))

/** The base-2 logarithm; exact for powers of two. */
export const log2 = (x: number): number => edge(x) ?? multiply(logOf(x), INVERSE_LN2)[0]

/** The base-10 logarithm; exact for powers of ten. */
export const log10 = (x: number): number => edge(x) ?? multiply(logOf(x), INVERSE_LN10)[0]

/** The hyperbolic tangent. */
export const tanh = (x: number): number => {
  if (Math.abs(x) < TINY) return nearly(x, -1 / 3)
  if (Number.isNaN(x)) return x
  if (Math.abs(x) > 22) return x < 0 ? -1 : 1
  const e = lessOne(2 * x)
  return divide(e, add(e, exactly(2)))[0]
}

/** e^|x| / 2 and e^-|x| / 2, below the overflow of the first. */
const halves = (
  x: number,
): { readonly grows: DoubleDouble; readonly shrinks: DoubleDouble; readonly scale: number } => {
  const { exponent, rest } = powerOf(Math.abs(x))
  const one = add(exactly(1), rest)
  // The other half is below the last bit, so only the first counts; its scale comes last.
  if (exponent > 60) return { grows: scaled(one, 2), shrinks: exactly(0), scale: 2 ** (exponent - 2) }
  return {
    grows: scaled(one, 2 ** (exponent - 1)),
    shrinks: scaled(divide(exactly(1), one), 2 ** (-exponent - 1)),
    scale: 1,
  }
}

/** Beyond it, sinh and cosh overflow. */
const OVERFLOWS = 710.475860073944

/** The hyperbolic sine. */
export const sinh = (x: number): number => {
  if (Math.abs(x) < TINY) return nearly(x, 1 / 6)
  if (!(Math.abs(x) < OVERFLOWS)) return x * Infinity
  const sign = x < 0 ? -1 : 1
  if (Math.abs(x) < 1) {
    const e = lessOne(Math.abs(x))
    return (sign * add(e, divide(e, add(exactly(1), e)))[0]) / 2
  }
  const { grows, shrinks, scale } = halves(x)
  return sign * subtract(grows, shrinks)[0] * scale
}

/** The hyperbolic cosine. */
export const cosh = (x: number): number => {
  if (!(Math.abs(x) < OVERFLOWS)) return Math.abs(x) * Infinity
  const { grows, shrinks, scale } = halves(x)
  return add(grows, shrinks)[0] * scale
}

/** The inverse hyperbolic sine. */
export const asinh = (x: number): number => {
  const magnitude = Math.abs(x)
  if (magnitude < TINY) return nearly(x, -1 / 6)
  if (!Number.isFinite(x)) return x
  const sign = x < 0 ? -1 : 1
  if (magnitude > 2 ** 60) return sign * add(logOf(magnitude), logOf(2))[0]
  const square = twoProduct(magnitude, magnitude)
  const root = squareRoot(add(exactly(1), square))
  if (magnitude > 1) return sign * logOfSum(add(exactly(magnitude), root))[0]
  return sign * logOfOneMore(add(exactly(magnitude), divide(square, add(exactly(1), root))))[0]
}

/** log(x) for a number above 1 that includes a low part. */
const logOfSum = (x: DoubleDouble): DoubleDouble => add(logOf(x[0]), exactly(x[1] / x[0]))

/** The inverse hyperbolic cosine; NaN below 1. */
export const acosh = (x: number): number => {
  if (!(x > 1)) return x === 1 ? 0 : Number.NaN
  if (x === Infinity) return x
  if (x > 2 ** 60) return add(logOf(x), logOf(2))[0]
  const above = twoSum(x, -1)
  const root = squareRoot(multiply(above, twoSum(x, 1)))
  if (x > 2) return logOfSum(add(exactly(x), root))[0]
  return logOfOneMore(add(above, root))[0]
}

/** The inverse hyperbolic tangent; NaN beyond ±1. */
export const atanh = (x: number): number => {
  const magnitude = Math.abs(x)
  if (magnitude < TINY) return nearly(x, 1 / 3)
  if (!(magnitude < 1)) return magnitude === 1 ? x * Infinity : Number.NaN
  const quotient = divide(exactly(2 * magnitude), twoSum(1, -magnitude))
  const result = quotient[0] < 1 ? logOfOneMore(quotient) : logOfSum(add(exactly(1), quotient))
  return (Math.sign(x) * result[0]) / 2
}

/** The cube root. */
export const cbrt = (x: number): number => {
  if (x === 0 || !Number.isFinite(x)) return x
  const magnitude = Math.abs(x)
  const scale = magnitude > 2 ** 600 ? 2 ** -600 : magnitude < 2 ** -600 ? 2 ** 600 : 1
  const value = magnitude * scale
  const first = exp(log(value) / 3)
  const square = twoProduct(first, first)
  const rest = subtract(multiply(square, exactly(first)), exactly(value))
  const second = add(exactly(first), divide(rest, scaled(square, -3)))
  const root = second[0] * (scale === 1 ? 1 : scale < 1 ? 2 ** 200 : 2 ** -200)
  return x < 0 ? -root : root
}
