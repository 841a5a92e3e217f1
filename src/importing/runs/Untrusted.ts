/** Reads untrusted values of unknown shape, and makes them fit for the log. */

import * as LongIntegers from "../../providers/LongIntegers.ts"
import { type Json, type JsonObject, pointerToken } from "../../values/Json.ts"

/** Maximum length of a text in the log, in characters. */
export const MAX_TEXT = 1024 * 1024

/** Maximum nesting. The log accepts 200 levels, of which events need some. */
const MAX_DEPTH = 150

/** An object's own field; safe for keys such as `__proto__`. */
export const field = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined

export const at = (value: unknown, ...keys: ReadonlyArray<string>): unknown =>
  keys.reduce((inner: unknown, key) => field(inner, key), value)

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A non-empty text field. */
export const textOf = (value: unknown, key: string): string | undefined => {
  const found = field(value, key)
  return typeof found === "string" && found !== "" ? found : undefined
}

export const numberOf = (value: unknown, key: string): number | undefined => {
  const found = field(value, key)
  return typeof found === "number" && Number.isFinite(found) ? found : undefined
}

/** A finite number, or one in text, as databases write large and exact ones. */
export const numericOf = (value: unknown, key: string): number | undefined => {
  const text = textOf(value, key)
  return text !== undefined && /^-?\d{1,30}(?:\.\d{1,30})?(?:e[+-]?\d{1,3})?$/i.test(text)
    ? numberOf({ found: Number(text) }, "found")
    : numberOf(value, key)
}

/** Larger counts are cut to this one, so that sums of a thousand stay exact. */
const LARGEST_COUNT = 2 ** 43

/** A count such as of tokens: a non-negative integer; 0 if there is none. */
export const countOf = (value: unknown, key: string): number => statedCount(value, key) ?? 0

/** A count; undefined, that is unknown, if the source does not state it. */
export const statedCount = (value: unknown, key: string): number | undefined => {
  const found = numberOf(value, key)
  return found === undefined ? undefined : Math.min(LARGEST_COUNT, Math.max(0, Math.round(found)))
}

/** A count with its parts that the source states separately; undefined if the count itself is unknown. */
export const plus = (count: number | undefined, ...parts: ReadonlyArray<number | undefined>): number | undefined =>
  count === undefined ? undefined : parts.reduce<number>((sum, part) => sum + (part ?? 0), count)

/** A value as text, or its JSON. `String` would call an untrusted `toString`. */
export const asText = (value: unknown): string =>
  typeof value === "object" && value !== null ? JSON.stringify(logJson(value).json) : String(value)

/** A list field; empty for anything else. */
export const listOf = (value: unknown, key: string): ReadonlyArray<unknown> => {
  const found = field(value, key)
  return Array.isArray(found) ? found : []
}

export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(LongIntegers.asTexts(text))
  } catch {
    return undefined
  }
}

export interface LogJson {
  readonly json: Json
  readonly bytes: number
}

let noted: Set<string> | undefined

/** Runs a synchronous function and notes the values that are shortened or replaced meanwhile, each once. */
export const notingCuts = <A>(cuts: Set<string>, map: () => A): A => {
  const before = noted
  noted = cuts
  try {
    return map()
  } finally {
    noted = before
  }
}

/** Identifies a value that is processed twice, as input and as the model's message. */
const noteCut = (value: unknown): void => {
  noted?.add(typeof value === "string" ? `${value.length} ${value.slice(0, 64)}` : typeof value)
}

/**
 * Makes a parsed value fit for the log: shortens text above `MAX_TEXT`, replaces lone surrogates and numbers beyond a
 * double (`1e999`), and cuts nesting below 150 levels. Also returns its approximate size in bytes.
 */
export const logJson = (value: unknown): LogJson => {
  const bytes = sizeOf(value, 0)
  if (bytes >= 0) return { json: value as Json, bytes }
  const json = repaired(value, 0)
  return { json, bytes: Math.max(0, sizeOf(json, 0)) }
}

/** Approximate JSON size; negative if a part must be changed. */
const sizeOf = (value: unknown, depth: number): number => {
  switch (typeof value) {
    case "string":
      return value.length > MAX_TEXT || !value.isWellFormed() ? Number.NEGATIVE_INFINITY : value.length + 2
    case "number":
      return Number.isFinite(value) ? 8 : Number.NEGATIVE_INFINITY
    case "boolean":
      return 5
    case "object": {
      if (value === null) return 4
      if (depth >= MAX_DEPTH) return Number.NEGATIVE_INFINITY
      let size = 2
      if (Array.isArray(value)) for (const item of value) size += 1 + sizeOf(item, depth + 1)
      else
        for (const key of Object.keys(value)) {
          const inner = (value as Readonly<Record<string, unknown>>)[key]
          size += (key.isWellFormed() ? key.length + 4 : Number.NEGATIVE_INFINITY) + sizeOf(inner, depth + 1)
        }
      return size
    }
    default:
      return Number.NEGATIVE_INFINITY
  }
}

const repaired = (value: unknown, depth: number): Json => {
  if (typeof value === "string") {
    if (value.length <= MAX_TEXT && value.isWellFormed()) return value
    noteCut(value)
    return shortened(value)
  }
  if (value === null || typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value)))
    return value
  if (typeof value !== "object" || depth >= MAX_DEPTH) {
    noteCut(value)
    return typeof value === "object" ? `[nested deeper than ${MAX_DEPTH} levels]` : String(value)
  }
  if (Array.isArray(value)) return value.map((item) => repaired(item, depth + 1))
  // Safe for a key `__proto__`.
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.toWellFormed(), repaired(inner, depth + 1)]),
  )
}

/** Leaves room for the remark, so that a text is shortened only once. */
const KEPT = MAX_TEXT - 100

const shortened = (text: string): string =>
  (text.length <= MAX_TEXT
    ? text
    : `${text.slice(0, KEPT)}… [${text.length - KEPT} more characters were left out by the import]`
  ).toWellFormed()

/** A JSON object; wraps other values as `{ value }`. */
export const asObject = (value: unknown): JsonObject => {
  const { json } = logJson(value)
  return isObject(json) ? (json as JsonObject) : { value: json }
}

/** A valid name of a stream, task, actor or component: no control characters, at most 120 characters. */
export const nameFrom = (text: string): string => {
  const plain = text.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "�")
  if (plain === "") return "unnamed"
  return plain.length <= 120 ? plain : `${plain.slice(0, 119).toWellFormed()}…`
}

/** The JSON Pointer of a file in the state's `files`. */
export const filePointer = (path: string): string => `/files/${pointerToken(path)}`
