/** Finds keys, in the environment and in requests, and keeps their texts out of everything that is written. */

import type { Json } from "../../values/Json.ts"

/** Finds and removes the texts of some keys. */
export interface Secrets {
  /** Whether a key's text occurs in the text. */
  readonly isIn: (text: string) => boolean
  /** The text with `[redacted]` for each key. */
  readonly redact: (text: string) => string
  /** The value with `[redacted]` for each key in its texts. A value without one is returned as it is. */
  readonly redactJson: <A extends Json>(value: A) => A
}

/** Shorter texts are no keys: a local server's `none` would be removed from every sentence. */
const SHORTEST_SECRET = 8

/** The secrets that these texts are. Each is also found as it is written in JSON and in a URL. */
export const of = (texts: ReadonlyArray<string>): Secrets => {
  const written = texts
    .filter((text) => text.length >= SHORTEST_SECRET)
    .flatMap((text) => [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text.toWellFormed())])
  const forms = [...new Set(written)].sort((a, b) => b.length - a.length)
  const isIn = (text: string) => forms.some((form) => text.includes(form))
  const redact = (text: string) => forms.reduce((rest, form) => rest.replaceAll(form, "[redacted]"), text)
  const redactValue = (value: Json): Json => {
    if (typeof value === "string") return redact(value)
    if (typeof value !== "object" || value === null) return value
    if (Array.isArray(value)) return value.map(redactValue)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [redact(key), redactValue(inner)]))
  }
  return {
    isIn,
    redact,
    // Only texts change: the type stays.
    redactJson: <A extends Json>(value: A): A => (isIn(JSON.stringify(value)) ? (redactValue(value) as A) : value),
  }
}

/** Names of environment variables that hold keys. */
const KEY_VARIABLE = /(^|_)(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$/i

/** A header that carries a key. */
const KEY_HEADER = /^(authorization|proxy-authorization|cookie)$|key|token|secret/

/** A field of a query that carries a key. */
export const KEY_FIELD = /key|token|secret/i

/** The keys in the environment of this process. */
export const keysOfEnvironment = (): ReadonlyArray<string> =>
  Object.entries(process.env).flatMap(([name, value]) =>
    KEY_VARIABLE.test(name) && value !== undefined ? [value] : [],
  )

/** The keys that a request carries, in its headers and its query. */
export const keysIn = (headers: Headers, url: string): ReadonlyArray<string> => {
  const { searchParams } = new URL(url)
  return [
    ...[...headers].filter(([name]) => KEY_HEADER.test(name)).flatMap(([, value]) => [value, ...value.split(/\s+/)]),
    ...[...searchParams].filter(([name]) => KEY_FIELD.test(name)).map(([, value]) => value),
  ]
}
