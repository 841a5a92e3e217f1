/** Guards function calls: their costs, and fixes of the library's functions. */

import { EvaluationError } from "@marcbachmann/cel-js"
import type { Meter } from "./Meter.ts"
import { stepsOf } from "./Meter.ts"
import * as Pattern from "./Pattern.ts"

type Handle = (...args: ReadonlyArray<unknown>) => unknown

interface Call {
  readonly op: string
  readonly args: unknown
}

/**
 * Arguments and result cost steps. A function in `MENDED` returns its own result, or throws, for the values that it
 * knows.
 */
export const guard = (call: Call, replace: (wrap: (inner: Handle) => Handle) => void, meter: Meter): void => {
  const name = Array.isArray(call.args) ? String(call.args[0]) : ""
  const { [name]: mended } = MENDED
  const worst = SEARCHES.has(name) ? searchSteps : name === "join" ? joinSteps : undefined
  const fixed = name.startsWith("get") ? ZONE_STEPS : 1
  replace((inner) => (values, ...rest) => {
    if (!Array.isArray(values)) return inner(values, ...rest)
    meter.charge(values.reduce((sum: number, value) => sum + stepsOf(value), values.length > 1 ? fixed : 1))
    if (worst !== undefined) meter.charge(worst(values))
    const own = mended?.(values, meter)
    if (own !== undefined) return own
    const result = inner(name.startsWith("get") ? atOffset(values) : values, ...rest)
    meter.charge(name === "size" ? Number(result) : stepsOf(result))
    return result
  })
}

/**
 * Converts a time at a UTC offset such as `+02:00` to the same reading in UTC: only newer versions of Node accept
 * offsets as time zones.
 */
const atOffset = (values: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const [time, zone] = values
  const [, sign, hours, minutes] = (typeof zone === "string" ? OFFSET.exec(zone) : null) ?? []
  if (!(time instanceof Date) || hours === undefined || minutes === undefined) return values
  if (Number(hours) > 23 || Number(minutes) > 59) {
    return refuse("invalid_time_zone", `expected an offset from -23:59 to +23:59, found ${String(zone)}`)
  }
  const offsetMs = (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
  return [new Date(time.getTime() + offsetMs), "UTC"]
}

const OFFSET = /^([+-]?)(\d\d):(\d\d)$/

/** Formatting and parsing in a time zone takes a third of a millisecond. */
const ZONE_STEPS = 10_000

/** V8 may compare the whole wanted text at each position. */
const SEARCHES: ReadonlySet<string> = new Set(["contains", "indexOf", "lastIndexOf", "split"])

/** Character comparisons per step. */
const COMPARISONS = 50

const searchSteps = ([text, wanted]: ReadonlyArray<unknown>): number =>
  typeof text === "string" && typeof wanted === "string" ? (text.length * wanted.length) / COMPARISONS : 0

const joinSteps = ([list, separator]: ReadonlyArray<unknown>): number =>
  Array.isArray(list) ? list.reduce((sum: number, part) => sum + stepsOf(part) + stepsOf(separator), 0) : 0

/** The library parses durations in cubic time. */
const MAX_DURATION = 64

const INT_LIMIT = 2 ** 63

/** Instructions of a pattern's program per step, for each character. */
const INSTRUCTIONS = 8

const refuse = (code: string, message: string): never => {
  throw new EvaluationError({ code, message })
}

const matches = ([text, pattern]: ReadonlyArray<unknown>, meter: Meter): boolean | undefined => {
  if (typeof text !== "string" || typeof pattern !== "string") return undefined
  meter.charge(Pattern.stepsToCompile(pattern))
  const compiled = patternOf(pattern)
  meter.charge(text.length * Math.ceil(compiled.size / INSTRUCTIONS))
  return compiled.test(text)
}

const patternOf = (pattern: string): Pattern.Pattern => {
  try {
    return Pattern.compile(pattern)
  } catch (cause) {
    if (!(cause instanceof Pattern.PatternInvalid)) throw cause
    return refuse("invalid_regular_expression", `the regular expression of matches(): ${cause.message}`)
  }
}

/** Replacements of library functions; undefined falls back to the library. */
const MENDED: { readonly [name: string]: (values: ReadonlyArray<unknown>, meter: Meter) => unknown } = {
  matches,
  duration: ([text]) =>
    typeof text === "string" && text.length > MAX_DURATION
      ? refuse("invalid_duration", `expected a duration of at most ${MAX_DURATION} characters, found ${text.length}`)
      : undefined,
  int: ([number]) =>
    typeof number === "number" && !(number >= -INT_LIMIT && number < INT_LIMIT)
      ? refuse("numeric_overflow", `int() type error: integer overflow: ${number}`)
      : undefined,
  lowerAscii: ([text]) =>
    typeof text === "string" ? text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()) : undefined,
  upperAscii: ([text]) =>
    typeof text === "string" ? text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase()) : undefined,
}
