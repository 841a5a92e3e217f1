/** Random numbers and elementary functions that are the same on every machine. */

/**
 * numpy's `Generator(PCG64(SeedSequence(seed)))`. The same seed and the same sequence of calls give the same numbers,
 * bit for bit.
 */
export interface Generator {
  /** Numbers in [0, 1). */
  readonly random: { (): number; (count: number): Array<number> }
  /** Numbers in [low, high). */
  readonly uniform: { (low: number, high: number): number; (low: number, high: number, count: number): Array<number> }
  /** Integers in [low, high), or in [0, low) without `high`. */
  readonly integers: {
    (low: number, high?: number): number
    (low: number, high: number | undefined, count: number): Array<number>
  }
  /** Picks from a list, or from the integers below a number. The probabilities `p` sum to 1. */
  readonly choice: {
    (below: number, p?: ReadonlyArray<number>): number
    <A>(list: ReadonlyArray<A>, p?: ReadonlyArray<number>): A
  }
  /**
   * An index drawn with the probabilities `p`, as Gymnasium's `categorical_sample` does:
   * `argmax(cumsum(p) > random())`.
   */
  readonly categorical: (p: ReadonlyArray<number>) => number
  /** Shuffles a list in place. */
  readonly shuffle: (list: Array<unknown>) => void
  /** A shuffled copy of the list, or of the integers below a number. */
  readonly permutation: { (below: number): Array<number>; <A>(list: ReadonlyArray<A>): Array<A> }
}

/**
 * Elementary functions that return the same bits in every JavaScript engine and on every machine. The last bit of
 * `Math.sin` depends on the engine's version, so a world that uses `Math` may diverge from its recording. `exp`, `log`
 * and `pow` return the results of glibc, and so of numpy; the others are correctly rounded. `+`, `-`, `*`, `/`, `%`,
 * `Math.sqrt`, `fround`, `abs`, `floor` and the like are exact everywhere; `**` is not.
 */
export interface ElementaryFunctions {
  /** The sine of an angle in radians. */
  readonly sin: (x: number) => number
  /** The cosine of an angle in radians. */
  readonly cos: (x: number) => number
  /** The tangent of an angle in radians. */
  readonly tan: (x: number) => number
  /** The arc sine, in radians. */
  readonly asin: (x: number) => number
  /** The arc cosine, in radians. */
  readonly acos: (x: number) => number
  /** The arc tangent, in radians. */
  readonly atan: (x: number) => number
  /** The angle of the point (x, y). */
  readonly atan2: (y: number, x: number) => number
  /** √(x² + y²). */
  readonly hypot: (x: number, y: number) => number
  /** e to a power. */
  readonly exp: (x: number) => number
  /** e^x - 1. */
  readonly expm1: (x: number) => number
  /** The natural logarithm. */
  readonly log: (x: number) => number
  /** log(1 + x). */
  readonly log1p: (x: number) => number
  /** The logarithm to base 2. */
  readonly log2: (x: number) => number
  /** The logarithm to base 10. */
  readonly log10: (x: number) => number
  /** x^y. As in C, `pow(1, NaN)` is 1. */
  readonly pow: (x: number, y: number) => number
  /** The cube root. */
  readonly cbrt: (x: number) => number
  /** The hyperbolic sine. */
  readonly sinh: (x: number) => number
  /** The hyperbolic cosine. */
  readonly cosh: (x: number) => number
  /** The hyperbolic tangent. */
  readonly tanh: (x: number) => number
  /** The inverse hyperbolic sine. */
  readonly asinh: (x: number) => number
  /** The inverse hyperbolic cosine. */
  readonly acosh: (x: number) => number
  /** The inverse hyperbolic tangent. */
  readonly atanh: (x: number) => number
}
