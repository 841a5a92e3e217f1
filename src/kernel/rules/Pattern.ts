/**
 * Regular expressions of CEL: RE2's syntax (https://github.com/google/re2/wiki/Syntax), whose matching takes time linear in the text.
 * `RegExp` backtracks, so that a short pattern and a short text can take for ever.
 */

import { RE2JS, RE2JSException } from "re2js"

/** A compiled pattern. */
export interface Pattern {
  /** Whether any part of the text matches. */
  readonly test: (text: string) => boolean
  /** The size of its program. Reading a character takes time proportional to it at worst. */
  readonly size: number
}

/** A pattern that is not of RE2, or is too large. */
export class PatternInvalid extends Error {}

/** Longest pattern, in characters. */
const MAX_LENGTH = 5_000

/** Largest length of a pattern, times its counted repetitions (`{3}`), which it is written out by. */
const MAX_WRITTEN_OUT = 100_000

/** RE2 refuses larger counts, also where they multiply. */
const MAX_REPETITIONS = 1_000

/** Largest program, and most of all the patterns that an expression writes out. */
export const MAX_SIZE = 20_000

/** Most patterns that are kept: an expression that takes its pattern from the data has many. */
const MAX_KEPT = 256

const kept = new Map<string, Pattern>()

/** Compiles a pattern. Throws `PatternInvalid`. */
export const compile = (source: string): Pattern => {
  const known = kept.get(source)
  if (known !== undefined) return known
  const compiled = compileNew(source)
  if (kept.size >= MAX_KEPT) kept.clear()
  kept.set(source, compiled)
  return compiled
}

/** Steps of compiling an instruction. */
const COMPILING = 5

/** The steps that compiling a pattern takes at most; none if it is kept. */
export const stepsToCompile = (source: string): number =>
  kept.has(source) ? 0 : COMPILING * Math.min(MAX_WRITTEN_OUT, source.length * repetitions(source.slice(0, MAX_LENGTH)))

const compileNew = (source: string): Pattern => {
  if (source.length > MAX_LENGTH) {
    throw new PatternInvalid(`a pattern of at most ${MAX_LENGTH} characters is expected, found ${source.length}`)
  }
  if (source.length * repetitions(source) > MAX_WRITTEN_OUT) throw new PatternInvalid(TOO_LARGE)
  const pattern = parsed(source)
  const size = pattern.programSize()
  if (size > MAX_SIZE) throw new PatternInvalid(TOO_LARGE)
  return { size, test: (text) => pattern.test(text) }
}

const TOO_LARGE = "its repetitions make it too large; write smaller counts, such as {1,20}"

const parsed = (source: string): RE2JS => {
  try {
    return RE2JS.compile(source)
  } catch (cause) {
    if (!(cause instanceof RE2JSException)) throw cause
    const reason = cause.message.replace(/^error parsing regexp: /, "")
    throw new PatternInvalid(
      `\`${source}\` is not of RE2's syntax (${reason}), which has no look-around and no back-references: https://github.com/google/re2/wiki/Syntax`,
    )
  }
}

/** The product of all counts, nested or not: at least by how much a part of the pattern is repeated. */
const repetitions = (source: string): number => {
  let product = 1
  for (const [, low, high = low] of source.matchAll(/\{(\d{1,4})(?:,(\d{1,4}))?,?\}/g)) {
    product = Math.min(MAX_REPETITIONS, product * Math.max(1, Number(low), Number(high)))
  }
  return product
}
