/**
 * Regular expressions of CEL in RE2's syntax (https://github.com/google/re2/wiki/Syntax), which match in time linear in
 * the text. `RegExp` backtracks: a short pattern on a short text can run forever.
 */

import { RE2JS, RE2JSException } from "re2js"

export interface Pattern {
  /** Tells whether any part of the text matches. */
  readonly test: (text: string) => boolean
  /** The worst-case time per character is proportional to it. */
  readonly size: number
}

/** A pattern outside RE2's syntax, or too large. */
export class PatternInvalid extends Error {}

const MAX_LENGTH = 5_000

/** Maximum length times counted repetitions (`{3}`), which RE2 expands. */
const MAX_WRITTEN_OUT = 100_000

/** RE2 refuses larger counts, even as products. */
const MAX_REPETITIONS = 1_000

/** Maximum program size, also of all literal patterns in an expression together. */
export const MAX_SIZE = 20_000

/** An expression may take many patterns from the data. */
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

/** Steps per compiled instruction. */
const COMPILING = 5

/** Maximum steps of compiling a pattern; none if it is cached. */
export const stepsToCompile = (source: string): number =>
  kept.has(source) ? 0 : COMPILING * Math.min(MAX_WRITTEN_OUT, source.length * repetitions(source.slice(0, MAX_LENGTH)))

const compileNew = (source: string): Pattern => {
  if (source.length > MAX_LENGTH) {
    throw new PatternInvalid(`expected a pattern of at most ${MAX_LENGTH} characters, found ${source.length}`)
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
      `\`${source}\` is not valid in RE2's syntax (${reason}), which has no look-around and no back-references: https://github.com/google/re2/wiki/Syntax`,
    )
  }
}

/** An upper bound: the product of all counts. */
const repetitions = (source: string): number => {
  let product = 1
  for (const [, low, high = low] of source.matchAll(/\{(\d{1,4})(?:,(\d{1,4}))?,?\}/g)) {
    product = Math.min(MAX_REPETITIONS, product * Math.max(1, Number(low), Number(high)))
  }
  return product
}
