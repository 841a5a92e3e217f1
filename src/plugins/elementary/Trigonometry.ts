/**
 * Trigonometric functions and their inverses with intermediate results of about 100 bits: correctly rounded in all but
 * about one case in 2^45.
 */
import {
  add,
  type DoubleDouble,
  divide,
  exactly,
  multiply,
  negated,
  scaled,
  squareRoot,
  subtract,
  twoProduct,
  twoSum,
} from "./DoubleDouble.ts"
import { reduced } from "./Reduction.ts"
import { inverseFactorial, nearly, TINY } from "./Series.ts"

/** Σ ± x^(n - first)/n! over n = first, first + 2, … up to about 20, with alternating signs; `x2` is x². */
const alternating = (x2: DoubleDouble, first: 2 | 3): DoubleDouble => {
  // Terms above the twelfth need only a double's precision.
  let small = 0
  for (let n = first + 16; n > first + 8; n -= 2) small = inverseFactorial(n)[0] - small * x2[0]
  let sum: DoubleDouble = exactly(small)
  for (let n = first + 8; n >= first; n -= 2) sum = subtract(inverseFactorial(n), multiply(x2, sum))
  return sum
}

/** For angles up to about π/32. */
const smallSineCosine = (x: DoubleDouble): { readonly sine: DoubleDouble; readonly cosine: DoubleDouble } => {
  const x2 = multiply(x, x)
  return {
    sine: subtract(x, multiply(multiply(x, x2), alternating(x2, 3))),
    cosine: subtract(exactly(1), multiply(x2, alternating(x2, 2))),
  }
}

/** π/2 and π. */
const HALF_PI: DoubleDouble = [1.5707963267948966, 6.123233995736766e-17]
const PI: DoubleDouble = scaled(HALF_PI, 2)

/** Sine and cosine of i × π/16, for i up to 8. */
const STEPS = (() => {
  const step = smallSineCosine(scaled(PI, 1 / 32))
  const doubled = ({ sine, cosine }: typeof step) => ({
    sine: scaled(multiply(sine, cosine), 2),
    cosine: subtract(exactly(1), scaled(multiply(sine, sine), 2)),
  })
  const one = doubled(step)
  const steps = [{ sine: exactly(0), cosine: exactly(1) }]
  for (let i = 1; i < 8; i++) steps.push(turned(steps[i - 1] ?? one, one))
  return [...steps, { sine: exactly(1), cosine: exactly(0) }]
})()

function turned(
  a: { readonly sine: DoubleDouble; readonly cosine: DoubleDouble },
  b: { readonly sine: DoubleDouble; readonly cosine: DoubleDouble },
) {
  return {
    sine: add(multiply(a.sine, b.cosine), multiply(a.cosine, b.sine)),
    cosine: subtract(multiply(a.cosine, b.cosine), multiply(a.sine, b.sine)),
  }
}

const sineCosine = (angle: number): { readonly sine: DoubleDouble; readonly cosine: DoubleDouble } => {
  const { steps, rest } = reduced(angle)
  const small = smallSineCosine(rest)
  const within = steps & 7
  const step = STEPS[within]
  const { sine, cosine } = within === 0 || step === undefined ? small : turned(small, step)
  switch (steps >> 3) {
    case 0:
      return { sine, cosine }
    case 1:
      return { sine: cosine, cosine: negated(sine) }
    case 2:
      return { sine: negated(sine), cosine: negated(cosine) }
    default:
      return { sine: negated(cosine), cosine: sine }
  }
}

/** The sine of an angle in radians. */
export const sin = (x: number): number => {
  if (!Number.isFinite(x)) return Number.NaN
  return Math.abs(x) < TINY ? nearly(x, -1 / 6) : sineCosine(x).sine[0]
}

/** The cosine of an angle in radians. */
export const cos = (x: number): number => (Number.isFinite(x) ? sineCosine(x).cosine[0] : Number.NaN)

/** The tangent of an angle in radians. */
export const tan = (x: number): number => {
  if (!Number.isFinite(x)) return Number.NaN
  if (Math.abs(x) < TINY) return nearly(x, 1 / 3)
  const { sine, cosine } = sineCosine(x)
  return divide(sine, cosine)[0]
}

/** The arctangent of a number from 0 to about 1. */
const arctangentOfRatio = (t: DoubleDouble): DoubleDouble => {
  const first = t[0] * (1.0584 - 0.273 * t[0])
  const at = sineCosine(first)
  const d = (t[0] * at.cosine[0] - at.sine[0]) / (at.cosine[0] + t[0] * at.sine[0])
  const d2 = d * d
  const second = first + (d - d * d2 * (1 / 3 - d2 * (1 / 5 - d2 * (1 / 7 - d2 / 9))))
  const { sine, cosine } = sineCosine(second)
  const numerator = subtract(multiply(t, cosine), sine)
  const denominator = add(cosine, multiply(t, sine))
  return add(exactly(second), divide(numerator, denominator))
}

/** The angle of a point with positive coordinates, neither of them extreme. */
const angleOf = (y: DoubleDouble, x: DoubleDouble): DoubleDouble =>
  y[0] <= x[0] ? arctangentOfRatio(divide(y, x)) : subtract(HALF_PI, arctangentOfRatio(divide(x, y)))

/** The angle of the point (x, y), from -π to π. */
export const atan2 = (y: number, x: number): number => {
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN
  const isLeft = x < 0 || Object.is(x, -0)
  const angle = angleFrom(Math.abs(y), Math.abs(x), isLeft)
  return y < 0 || Object.is(y, -0) ? -angle : angle
}

/** The angle from 0 to π of the point whose coordinates have these magnitudes. */
const angleFrom = (y: number, x: number, isLeft: boolean): number => {
  if (y === 0) return isLeft ? PI[0] : 0
  if (x === 0) return HALF_PI[0]
  if (y === Infinity && x === Infinity) return isLeft ? multiply(PI, exactly(0.75))[0] : PI[0] / 4
  if (y === Infinity) return HALF_PI[0]
  if (x === Infinity) return isLeft ? PI[0] : 0
  // Powers of two keep the quotient and prevent overflow and underflow.
  const scale = Math.max(x, y) > 2 ** 400 ? 2 ** -500 : Math.max(x, y) < 2 ** -400 ? 2 ** 500 : 1
  const [a, b] = [y * scale, x * scale]
  const ratio = a / b
  // The arctangent of so small a number is the number, and vanishes next to a right angle.
  if (ratio < 2 ** -60) return isLeft ? PI[0] : y / x
  if (ratio > 2 ** 60) return HALF_PI[0]
  const angle = angleOf(exactly(a), exactly(b))
  return isLeft ? subtract(PI, angle)[0] : angle[0]
}

/** The arctangent, from -π/2 to π/2. */
export const atan = (x: number): number => atan2(x, 1)

/** √(1 - x²) for |x| up to 1. */
const complement = (x: number): DoubleDouble => squareRoot(multiply(twoSum(1, -x), twoSum(1, x)))

/** The arcsine, from -π/2 to π/2; NaN beyond ±1. */
export const asin = (x: number): number => {
  const magnitude = Math.abs(x)
  if (!(magnitude <= 1)) return Number.NaN
  if (magnitude < TINY) return nearly(x, 1 / 6)
  if (magnitude === 1) return x * HALF_PI[0]
  const angle = angleOf(exactly(magnitude), complement(magnitude))[0]
  return x < 0 ? -angle : angle
}

/** The arccosine, from 0 to π; NaN beyond ±1. */
export const acos = (x: number): number => {
  if (!(Math.abs(x) <= 1)) return Number.NaN
  if (x === 1) return 0
  if (Math.abs(x) < 2 ** -60) return HALF_PI[0]
  const angle = angleOf(complement(x), exactly(Math.abs(x)))
  return x < 0 ? subtract(PI, angle)[0] : angle[0]
}

/** √(x² + y²), without intermediate overflow. */
export const hypot = (x: number, y: number): number => {
  const [a, b] = [Math.abs(x), Math.abs(y)]
  if (a === Infinity || b === Infinity) return Infinity
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.NaN
  const [large, small] = a < b ? [b, a] : [a, b]
  if (small === 0 || small < large * 2 ** -60) return large
  const scale = large > 2 ** 400 ? 2 ** -600 : large < 2 ** -400 ? 2 ** 600 : 1
  const [s, t] = [large * scale, small * scale]
  return squareRoot(add(twoProduct(s, s), twoProduct(t, t)))[0] / scale
}
