/** Finds keys, in the environment and in requests, and keeps their texts out of everything that is written. */

import type { Json } from "../../values/Json.ts"

/** Finds and removes the texts of some keys. */
export interface Secrets {
  /** Whether a key's text occurs in the text. */
  readonly isIn: (text: string) => boolean
  /** The text with `[redacted]` for each key. */
  readonly redact: (text: string) => string
  /**
   * The value with `[redacted]` for each key in its texts. A value without one is returned as it is.
   *
   * @param text the value's JSON, where it is there already
   */
  readonly redactJson: <A extends Json>(value: A, text?: string) => A
  /** A text that comes in pieces, of which no key is told that comes in several. */
  readonly streamed: () => StreamedText
}

/** A text that is redacted while it comes. An end of it that may be the beginning of a key is held back. */
export interface StreamedText {
  /** Takes a piece; returns what can be told by now, redacted. It may be empty. */
  readonly take: (piece: string) => string
  /** What was held back, redacted: nothing more comes, so that it is no beginning of a key. */
  readonly end: () => string
}

/** Shorter texts are no keys: a local server's `none` would be removed from every sentence. */
const SHORTEST_SECRET = 8

/** The secrets that these texts are. Each is also found as it is written in JSON, with whatever escapes, and in a URL. */
export const of = (texts: ReadonlyArray<string>): Secrets => {
  const secrets = texts.filter((text) => text.length >= SHORTEST_SECRET)
  const written = secrets.flatMap((text) => [
    ...[text, JSON.stringify(text).slice(1, -1)],
    encodeURIComponent(text.toWellFormed()),
  ])
  const forms = [...new Set(written)].sort((a, b) => b.length - a.length)
  const escaped = escapedIn(secrets)
  const hasEscaped = (text: string) => escaped !== undefined && text.includes("\\") && text.search(escaped) >= 0
  const isIn = (text: string) => forms.some((form) => text.includes(form)) || hasEscaped(text)
  const redact = (text: string) => {
    const rest = forms.reduce((rest, form) => rest.replaceAll(form, "[redacted]"), text)
    return escaped === undefined || !hasEscaped(rest) ? rest : rest.replaceAll(escaped, "[redacted]")
  }
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
    redactJson: <A extends Json>(value: A, text = JSON.stringify(value)): A =>
      isIn(text) ? (redactValue(value) as A) : value,
    streamed: () => {
      let held = ""
      return {
        take: (piece) => {
          const text = held + piece
          const start = startOfUnfinished(text, forms)
          held = text.slice(start)
          return redact(text.slice(0, start))
        },
        end: () => {
          const rest = redact(held)
          held = ""
          return rest
        },
      }
    },
  }
}

/**
 * What finds texts in JSON whose writer escapes more than it has to, as PHP does `/`, .NET `+` and Python what is not ASCII; undefined
 * if there is nothing in the texts that a writer would escape.
 */
const escapedIn = (texts: ReadonlyArray<string>): RegExp | undefined => {
  const escapable = texts
    .filter((text) => text.length <= LONGEST_ESCAPED && ESCAPABLE.test(text))
    .slice(0, MOST_ESCAPED)
  if (escapable.length === 0) return undefined
  const longestFirst = [...escapable].sort((a, b) => b.length - a.length)
  return new RegExp(longestFirst.map((text) => text.split("").map(unitPattern).join("")).join("|"), "g")
}

/** Longest texts that are found so, and how many: a pattern has a greatest size. */
const [LONGEST_ESCAPED, MOST_ESCAPED] = [512, 128]

/** A character that some writer of JSON escapes. */
const ESCAPABLE = /[^\w.~-]/

/** A pattern of a UTF-16 code unit as JSON may have it. */
const unitPattern = (unit: string): string => {
  if (!ESCAPABLE.test(unit)) return unit === "." ? "\\." : unit
  const code = unit.charCodeAt(0).toString(16).padStart(4, "0")
  const digits = code.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
  return `(?:\\\\?\\u${code}|\\\\u${digits})`
}

/**
 * Where the end of a text begins that may become a key: its length if there is none. It is never within a whole key,
 * which would be torn.
 *
 * @param forms what keys are written as, the longest first
 */
const startOfUnfinished = (text: string, forms: ReadonlyArray<string>): number => {
  const longest = forms[0]?.length ?? 0
  for (let start = 0; start < text.length; ) {
    const rest = text.length - start < longest ? text.slice(start) : undefined
    const isUnfinished = (form: string) => rest !== undefined && form.length > rest.length && form.startsWith(rest)
    if (forms.some(isUnfinished)) return start
    start += forms.find((form) => text.startsWith(form, start))?.length ?? 1
  }
  return text.length
}

/** Names of environment variables that hold keys. */
const KEY_VARIABLE = /(^|_)(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$/i

/** A header that carries a key. */
const KEY_HEADER = /auth|key|token|secret|password|signature|credential/

/** A field of a query that carries a key. */
export const KEY_FIELD = /key|token|secret|password|passwd|signature|credential|^(sig|pwd)$/i

/** The keys in the environment of this process: of variables that are named like keys, and passwords in URLs. */
export const keysOfEnvironment = (): ReadonlyArray<string> =>
  Object.entries(process.env).flatMap(([name, value = ""]) =>
    KEY_VARIABLE.test(name) ? [value] : value.includes("://") ? passwordIn(value) : [],
  )

/** The keys that a request carries, in its headers and its URL. */
export const keysIn = (headers: Headers, url: string): ReadonlyArray<string> => [
  ...keysInHeaders(headers),
  ...keysInUrl(url),
]

/** The keys in the headers of a request. */
export const keysInHeaders = (headers: Headers): ReadonlyArray<string> =>
  [...headers].flatMap(([name, value]) => {
    if (name === "cookie") return [value, ...cookiesIn(value)]
    return KEY_HEADER.test(name) ? [value, ...credentialsIn(value)] : []
  })

/** The keys in a URL: its password, and the fields of its query and its fragment that are named like keys. */
export const keysInUrl = (url: string): ReadonlyArray<string> => {
  const { searchParams, hash } = new URL(url)
  return [
    ...passwordIn(url),
    ...[...searchParams, ...new URLSearchParams(hash.slice(1))].flatMap(([name, value]) =>
      KEY_FIELD.test(name) ? [value] : [],
    ),
  ]
}

/** The words of a command line with `[redacted]` for the values of options that are named like keys. */
export const withoutKeys = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.map((word, index) => {
    const [, name = "", value] = /^--?([\w-]+)(?:=(.*))?$/s.exec(word) ?? []
    if (value !== undefined) return KEY_FIELD.test(name) ? word.replace(/=.*$/s, "=[redacted]") : word
    const before = /^--?([\w-]+)$/.exec(words[index - 1] ?? "")?.[1] ?? ""
    return !word.startsWith("-") && KEY_FIELD.test(before) ? "[redacted]" : word
  })

/** The words of a header's value, and the password in what `Basic` encodes (RFC 7617). */
const credentialsIn = (value: string): ReadonlyArray<string> => {
  const [scheme = "", ...words] = value.split(/\s+/)
  if (scheme.toLowerCase() !== "basic") return [scheme, ...words]
  return words.flatMap((word) => [
    word,
    Buffer.from(word, "base64")
      .toString("utf8")
      .replace(/^[^:]*:/, ""),
  ])
}

/** The value of each cookie. */
const cookiesIn = (value: string): ReadonlyArray<string> =>
  value.split(/;\s*/).map((cookie) => cookie.slice(cookie.indexOf("=") + 1))

const passwordIn = (text: string): ReadonlyArray<string> => {
  if (!URL.canParse(text)) return []
  const { password } = new URL(text)
  return password === "" ? [] : [password, decoded(password)]
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    // A percent sign that is no escape.
    return text
  }
}
