/**
 * The elementary functions that worlds compute with (`context.math`): the same bits in every engine and on every machine, unlike those of `Math`.
 * `exp`, `log` and `pow` are glibc's to the last bit; the others are correctly rounded, but for about one case in 2^45.
 */
import type { ElementaryFunctions } from "../author.ts"
import { exp, log, pow } from "./Exponential.ts"
import { acosh, asinh, atanh, cbrt, cosh, expm1, log1p, log2, log10, sinh, tanh } from "./Hyperbolic.ts"
import { acos, asin, atan, atan2, cos, hypot, sin, tan } from "./Trigonometry.ts"

/** What `context.math` is. */
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
