/** Finds keys in the environment and in requests, and keeps them out of everything that is written. */

import type { Json } from "../../../values/Json.ts"
import { canParseUrl } from "../../../values/url/canParseUrl.ts"
import * as JsonEscapes from "./JsonEscapes.ts"
import * as KeysInPaths from "./KeysInPaths.ts"

export interface Secrets {
  readonly isIn: (text: string) => boolean
  /** Replaces each key by `[redacted]`. */
  readonly redact: (text: string) => string
  /**
   * Replaces each key in a value's texts. Returns a value without keys unchanged.
   *
   * @param text the value's JSON, if the caller has it
   */
  readonly redactJson: <A extends Json>(value: A, text?: string) => A
  /** Redacts a text that arrives in pieces, even if a key spans several of them. */
  readonly streamed: () => StreamedText
}

/** Redacts a text while it streams. Holds back an end that may be the start of a key. */
export interface StreamedText {
  /** Takes a piece; returns the redacted text that can be passed on now, which may be empty. */
  readonly take: (piece: string) => string
  readonly end: () => string
}

const REDACTED = "[redacted]"

/** In characters. Shorter texts are not keys: a local server's `none` would vanish from every sentence. */
export const SHORTEST_SECRET = 8

/** Makes the secrets of some texts. Also finds each as it is written in JSON, with any escapes, and in a URL. */
export const of = (texts: ReadonlyArray<string>): Secrets => {
  const secrets = texts.filter((text) => text.length >= SHORTEST_SECRET && text !== REDACTED)
  const written = secrets.flatMap((text) => [
    ...[text, JSON.stringify(text).slice(1, -1)],
    encodeURIComponent(text.toWellFormed()),
  ])
  const forms = [...new Set(written)].sort((a, b) => b.length - a.length)
  const escaped = escapedIn(secrets)
  const isIn = (text: string) => forms.some((form) => text.includes(form)) || escaped.isIn(text)
  const redact = (text: string) => escaped.redact(forms.reduce((rest, form) => rest.replaceAll(form, REDACTED), text))
  const redactValue = (value: Json): Json => {
    if (typeof value === "string") return redact(value)
    if (typeof value !== "object" || value === null) return value
    if (Array.isArray(value)) return value.map(redactValue)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [redact(key), redactValue(inner)]))
  }
  return {
    isIn,
    redact,
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
 * Finds keys in JSON within JSON, and in JSON with unnecessary escapes, such as `/` by PHP, `+` by .NET and non-ASCII
 * characters by Python.
 */
const escapedIn = (secrets: ReadonlyArray<string>): Pick<Secrets, "isIn" | "redact"> => {
  // A key with a backslash would change without escapes.
  const keys = secrets.filter((text) => !text.includes("\\")).sort((a, b) => b.length - a.length)
  // Most texts escape only quotes and line breaks, and need no further search.
  const mayHoldKeys = keys.some((key) => OFTEN_ESCAPED.test(key)) ? /\\[^"bfnrt]/ : /\\u00[2-7]/
  const isIn = (text: string) => {
    if (keys.length === 0 || !text.includes("\\") || !mayHoldKeys.test(text)) return false
    const plain = JsonEscapes.withoutEscapes(text)
    return keys.some((key) => plain.includes(key))
  }
  const redactOne = (text: string, key: string) => {
    const { text: plain, starts } = JsonEscapes.unescaped(text)
    let [rest, copied] = ["", 0]
    for (let at = plain.indexOf(key); at >= 0; at = plain.indexOf(key, at + key.length)) {
      rest += text.slice(copied, starts[at]) + REDACTED
      copied = starts[at + key.length] ?? text.length
    }
    return rest + text.slice(copied)
  }
  return { isIn, redact: (text) => (isIn(text) ? keys.reduce(redactOne, text) : text) }
}

/** A character that some writer of JSON escapes. Only an attempt to hide them spells the others by numbers. */
const OFTEN_ESCAPED = /[^\w.~-]/

/**
 * The start of an end of a text that may become a key, or the text's length. It is never within a whole key.
 *
 * @param forms the written forms of keys, the longest first
 */
const startOfUnfinished = (text: string, forms: ReadonlyArray<string>): number => {
  const longest = forms[0]?.length
  if (longest === undefined) return text.length
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

const KEY_HEADER = /auth|key|token|secret|password|signature|credential/

export const KEY_FIELD = /key|token|secret|password|passwd|signature|credential|^(sig|pwd)$/i

/** The keys in an environment, by default this process's: variables that are named like keys, and keys in addresses. */
export const keysOfEnvironment = (
  env: { readonly [name: string]: string | undefined } = process.env,
): ReadonlyArray<string> =>
  Object.entries(env).flatMap(([name, value = ""]) =>
    KEY_VARIABLE.test(name) ? [value] : value.includes("://") ? keysInAddress(value) : [],
  )

/** The keys in an address from a variable: its password, its user if that is a key, and those in its path and query. */
const keysInAddress = (text: string): ReadonlyArray<string> => {
  if (!canParseUrl(text)) return []
  const url = new URL(text)
  const user = KeysInPaths.looksLikeKey(url.username) ? [url.username] : []
  // Addresses of other schemes than the web's name databases and files.
  const path = /^https?:$/.test(url.protocol) ? KeysInPaths.inAddress(url) : []
  return [...user, ...path, ...keysInUrl(text)]
}

export const keysIn = (headers: Headers, url: string): ReadonlyArray<string> => [
  ...keysInHeaders(headers),
  ...keysInUrl(url),
]

export const keysInHeaders = (headers: Iterable<[name: string, value: string]>): ReadonlyArray<string> =>
  [...headers].flatMap(([name, value]) => {
    if (name === "cookie") return [value, ...cookiesIn(value)]
    return KEY_HEADER.test(name) ? [value, ...credentialsIn(value)] : []
  })

/**
 * The keys in a URL: its password, fields of its query and fragment that are named like keys, and segments of its path
 * before a provider's API that look like keys.
 */
export const keysInUrl = (url: string): ReadonlyArray<string> => {
  const parsed = new URL(url)
  const { searchParams, hash } = parsed
  return [
    ...passwordIn(url),
    ...KeysInPaths.inRequest(parsed),
    ...[...searchParams, ...new URLSearchParams(hash.slice(1))].flatMap(([name, value]) =>
      KEY_FIELD.test(name) ? [value] : [],
    ),
  ]
}

/** Replaces the values of options that are named like keys, in the words of a command line. */
export const withoutKeys = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.map((word, index) => {
    const [, name = "", value] = /^--?([\w-]+)(?:=(.*))?$/s.exec(word) ?? []
    if (value !== undefined) return KEY_FIELD.test(name) ? word.replace(/=.*$/s, `=${REDACTED}`) : word
    const before = /^--?([\w-]+)$/.exec(words[index - 1] ?? "")?.[1] ?? ""
    return !word.startsWith("-") && KEY_FIELD.test(before) ? REDACTED : word
  })

/** The words of a header's value, and the password that `Basic` encodes (RFC 7617). */
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

const cookiesIn = (value: string): ReadonlyArray<string> =>
  value.split(/;\s*/).map((cookie) => cookie.slice(cookie.indexOf("=") + 1))

const passwordIn = (text: string): ReadonlyArray<string> => {
  if (!canParseUrl(text)) return []
  const { password } = new URL(text)
  return password === "" ? [] : [password, decoded(password)]
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
