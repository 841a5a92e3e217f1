/**
 * The elementary functions of `context.math`: unlike `Math`, they return the same bits in every engine and on every
 * machine. `exp`, `log` and `pow` match glibc to the last bit; the others are correctly rounded in all but about one
 * case in 2^45.
 */
import type { ElementaryFunctions } from "../author.ts"
import { exp, log, pow } from "./Exponential.ts"
import { acosh, asinh, atanh, cbrt, cosh, expm1, log1p, log2, log10, sinh, tanh } from "./Hyperbolic.ts"
import { acos, asin, atan, atan2, cos, hypot, sin, tan } from "./Trigonometry.ts"

/** The value of `context.math`. */
export const elementary: ElementaryFunctions = Object.freeze({
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  hypot,
  exp,
  expm1,
  log,
  log1p,
  log2,
  log10,
  pow,
  cbrt,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
})
