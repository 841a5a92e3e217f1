/** Coefficients of power series. */
import { type DoubleDouble, divide, exactly } from "./DoubleDouble.ts"

/** 1/n! for n up to 20: all these factorials are doubles. */
const INVERSE_FACTORIALS: ReadonlyArray<DoubleDouble> = (() => {
  const inverses = [exactly(1)]
  for (let n = 1, factorial = 1; n <= 20; n++) {
    factorial *= n
    inverses.push(divide(exactly(1), exactly(factorial)))
  }
  return inverses
})()

/** 1/n!, for n up to 20. */
export const inverseFactorial = (n: number): DoubleDouble => INVERSE_FACTORIALS[n] ?? exactly(0)

/** Below it, two terms of an odd function's power series suffice. */
export const TINY = 2 ** -30

/** x + factor × x³ for tiny x; keeps the sign of zero. */
export const nearly = (x: number, factor: number): number => (x === 0 ? x : x + factor * (x * x * x))
