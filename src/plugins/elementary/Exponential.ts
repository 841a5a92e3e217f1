/**
 * `exp`, `log` and `pow` after Arm's optimized-routines (`exp.c`, `log.c`, `pow.c`; license in `tables`), which glibc
 * uses since 2.28. Order of operations and fused multiplications follow glibc on processors that have them, so that
 * results match to the last bit.
 */
import { fma, fromWords, highWord, lowWord } from "./DoubleDouble.ts"
import { EXP, LOG, POW_LOG } from "./tables.ts"

const INV_LN2_N = 184.66496523378731
const NEG_LN2_HIGH_N = -0.0054152123481117087
const NEG_LN2_LOW_N = -1.2864023111638346e-14
/** Adding it rounds to an integer, which the lowest bits of the sum then hold. */
const SHIFT = 6755399441055744
const E0 = 0.49999999999996786
const E1 = 0.16666666666665886
const E2 = 0.041666680841067401
const E3 = 0.0083333358530595491

const LN2_HIGH = 0.69314718055989033
const LN2_LOW = 5.4979230187083712e-14

/** Masks of a double's fraction and of its exponent. */
const EXPONENT = 0x7ff

/** e^x, as in glibc. */
export const exp = (x: number): number => expOf(x, 0, false)

/** e^(x + tail) with the given sign. `|tail|` is small compared to `x`. */
const expOf = (x: number, tail: number, isNegative: boolean): number => {
  const top = (highWord(x) >>> 20) & EXPONENT
  if (top < 0x3c9) return isNegative ? -(1 + x) : 1 + x
  if (top >= 0x409) {
    if (x === -Infinity) return isNegative ? -0 : 0
    if (top === EXPONENT) return 1 + x
    if (x < 0) return isNegative ? -0 : 0
    return isNegative ? -Infinity : Infinity
  }
  const shifted = fma(x, INV_LN2_N, SHIFT)
  highWord(shifted)
  const k = lowWord()
  const whole = shifted - SHIFT
  const rest = fma(whole, NEG_LN2_LOW_N, fma(whole, NEG_LN2_HIGH_N, x))
  const r = tail === 0 ? rest : tail + rest
  const index = 2 * (k & 127)
  const entry = EXP[index + 1] ?? 0
  const high = highWord(entry)
  const low = lowWord()
  const bits = (high + (k << 13) + (isNegative ? 0x80000000 : 0)) >>> 0
  const r2 = r * r
  const sum = fma(r2, fma(r, E1, E0), r + (EXP[index] ?? 0))
  const polynomial = fma(r2 * r2, fma(r, E3, E2), sum)
  // Beyond a magnitude of 512, the scale alone may overflow or underflow.
  if (top >= 0x408) return atTheEdge(polynomial, bits, low, k)
  const scale = fromWords(bits, low)
  return fma(polynomial, scale, scale)
}

/** The result if its scale may exceed the range of doubles, or the result may be subnormal. */
const atTheEdge = (polynomial: number, high: number, low: number, k: number): number => {
  if ((k & 0x80000000) === 0) {
    const scale = fromWords(high - (1009 << 20), low)
    return fma(polynomial, scale, scale) * 2 ** 1009
  }
  const scale = fromWords(high + (1022 << 20), low)
  const product = polynomial * scale
  let y = scale + product
  if (Math.abs(y) < 1) {
    const one = y < 0 ? -1 : 1
    const rest = product + (scale - y)
    const sum = y + one
    y = sum + (rest + (y + (one - sum))) - one
    if (y === 0) y = scale < 0 ? -0 : 0
  }
  return y * 2 ** -1022
}

const L0 = -0.50000000000000011
const L1 = 0.33333333331825593
const L2 = -0.24999999996229549
const L3 = 0.20000304511814496
const L4 = -0.16667054827627667

/** The natural logarithm, as in glibc. */
export const log = (x: number): number => {
  if (x >= 0.9375 && x < 1.064697265625) return x === 1 ? 0 : logNearOne(x - 1)
  if (!(x > 0)) return x === 0 ? -Infinity : Number.NaN
  if (x === Infinity) return x
  // Scales subnormal numbers into the normal range.
  const isSubnormal = x < 2 ** -1022
  const high = highWord(isSubnormal ? x * 2 ** 52 : x)
  const low = lowWord()
  const offset = (high - 0x3fe60000) | 0
  const index = 2 * ((offset >>> 13) & 127)
  const k = offset >> 20
  const exponent = isSubnormal ? k - 52 : k
  const z = fromWords(high - (k << 20), low)
  const r = fma(z, LOG[index] ?? 0, -1)
  const w = fma(LN2_HIGH, exponent, LOG[index + 1] ?? 0)
  const sum = r + w
  const rest = fma(LN2_LOW, exponent, w - sum + r)
  const r2 = r * r
  const polynomial = fma(fma(L4, r, L3), r2, fma(L2, r, L1))
  return fma(r * r2, polynomial, fma(L0, r2, rest)) + sum
}

const N1 = 0.3333333333333352
const N2 = -0.24999999999998432
const N3 = 0.19999999999320328
const N4 = -0.16666666669929706
const N5 = 0.14285715076560868
const N6 = -0.12499997863982555
const N7 = 0.11110712032936046
const N8 = -0.10000486757818193
const N9 = 0.091819940061954666
const N10 = -0.083283630622893415

/** log(1 + r) for small r. */
const logNearOne = (r: number): number => {
  const r2 = r * r
  const r3 = r * r2
  const first = fma(N3, r2, fma(N2, r, N1))
  const second = fma(N6, r2, fma(N5, r, N4))
  const third = fma(N10, r3, fma(N9, r2, fma(N8, r, N7)))
  const polynomial = fma(fma(third, r3, second), r3, first)
  const wide = r * 134217728
  const high = wide + r - wide
  const low = r - high
  const square = high * high
  const sum = fma(square, -0.5, r)
  const rest = fma(-0.5 * low, r + high, fma(square, -0.5, r - sum))
  return sum + fma(polynomial, r3, rest)
}

const P1 = -0.66666666666666785
const P2 = 0.50000000000000067
const P3 = 0.79999999953239764
const P4 = -0.66666666634877392
const P5 = -1.1429096284595011
const P6 = 1.0000415263675542

const parity = (y: number): "odd" | "even" | "not whole" => {
  if (!Number.isInteger(y)) return "not whole"
  return Math.abs(y) < 2 ** 53 && y % 2 !== 0 ? "odd" : "even"
}

/** x^y, as in glibc: `pow(1, NaN)` is 1, unlike JavaScript's `**`. */
export const pow = (x: number, y: number): number => {
  if (y === 0 || x === 1) return 1
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN
  if (x === -1 && Math.abs(y) === Infinity) return 1
  if (Math.abs(y) === Infinity) return Math.abs(x) < 1 === y < 0 ? Infinity : 0
  const whole = x < 0 || x === 0 ? parity(y) : "even"
  const isNegative = whole === "odd" && (x < 0 || Object.is(x, -0))
  if (x === 0 || Math.abs(x) === Infinity) {
    const result = (x === 0) === y < 0 ? Infinity : 0
    return isNegative ? -result : result
  }
  if (x < 0 && whole === "not whole") return Number.NaN
  const base = Math.abs(x)
  if (base === 1) return isNegative ? -1 : 1
  // At this size of y, the exact base no longer matters.
  if (Math.abs(y) >= 2 ** 63) return base > 1 === y > 0 ? Infinity : 0
  if (Math.abs(y) < 2 ** -65) return base > 1 ? 1 + y : 1 - y
  return powOf(base, y, isNegative)
}

/** x^y for a positive x other than 1, with the given sign. */
const powOf = (x: number, y: number, isNegative: boolean): number => {
  const isSubnormal = x < 2 ** -1022
  const high = highWord(isSubnormal ? x * 2 ** 52 : x)
  const low = lowWord()
  // The lower word never borrows: the offset's lower word is 0.
  const offset = (high - 0x3fe69555) | 0
  const index = 3 * ((offset >>> 13) & 127)
  const k = offset >> 20
  const exponent = isSubnormal ? k - 52 : k
  const z = fromWords(high - (k << 20), low)
  const r = fma(z, POW_LOG[index] ?? 0, -1)
  const t1 = fma(exponent, LN2_HIGH, POW_LOG[index + 1] ?? 0)
  const t2 = r + t1
  const low1 = fma(exponent, LN2_LOW, POW_LOG[index + 2] ?? 0)
  const low2 = r + (t1 - t2)
  const ar = r * -0.5
  const ar2 = r * ar
  const ar3 = r * ar2
  const sum = t2 + ar2
  const low3 = fma(r, ar, -ar2)
  const low4 = ar2 + (t2 - sum)
  const polynomial = fma(ar2, fma(ar2, fma(r, P6, P5), fma(r, P4, P3)), fma(r, P2, P1))
  const rest = fma(ar3, polynomial, low4 + (low3 + (low1 + low2)))
  const logarithm = sum + rest
  const tail = rest + (sum - logarithm)
  const product = y * logarithm
  return expOf(product, fma(y, tail, fma(y, logarithm, -product)), isNegative)
}
