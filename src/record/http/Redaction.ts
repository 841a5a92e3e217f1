/** Keeps keys out of a recording: those of the environment, and those that the program's requests carry. */

import * as Secrets from "../../agents/models/secrets/Secrets.ts"
import { piecesOf } from "../../providers/pieces.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import { remembered } from "./Remembered.ts"

/** What of a response is searched for keys, beside its body: no type of DOM, which programs that import Hindcast may lack. */
interface Answered {
  readonly url: string
  readonly headers: AnsweredHeaders
}

interface AnsweredHeaders {
  readonly get: (name: string) => string | null
  readonly getSetCookie: () => ReadonlyArray<string>
}

/** The keys that are known so far. */
export interface Redaction {
  /** Learns the keys that a request carries, in its headers, its query and the fields of its body that are named like keys. */
  readonly learn: (headers: Iterable<[name: string, value: string]>, url: string, body: Json | undefined) => void
  /** Learns the keys that a server gives: access tokens in a body, cookies, and keys in where it sends the program. */
  readonly learnGiven: (response: Answered, body: string) => void
  /** A URL without user, password and the values of keys in its query and its fragment. */
  readonly url: (url: string) => string
  readonly text: (text: string) => string
  readonly isIn: (text: string) => boolean
  /** @param text the value's JSON, where it is there already */
  readonly json: <A extends Json>(value: A, text?: string) => A
  /** What a function of the program was given, or answered: learns the keys in its fields that are named like keys, and takes them out. */
  readonly value: <A extends Json>(value: A) => A
}

/** @param texts keys that the program names */
export const make = (texts: ReadonlyArray<string> = []): Redaction => {
  const known = new Set([...texts, ...Secrets.keysOfEnvironment()])
  let [size, secrets] = [known.size, Secrets.of([...known])]
  const current = () => {
    if (size !== known.size) [size, secrets] = [known.size, Secrets.of([...known])]
    return secrets
  }
  return {
    learn: (headers, url, body) => {
      for (const key of Secrets.keysInHeaders(headers)) known.add(key)
      for (const key of keysInUrl(url)) known.add(key)
      for (const key of keysInBody(body)) known.add(key)
    },
    learnGiven: ({ url, headers }, body) => {
      for (const cookie of headers.getSetCookie()) known.add(cookie.replace(/^[^=]*=/, "").replace(/;.*$/s, ""))
      for (const place of [url, locationOf(url, headers)]) {
        // A response that was made by hand came from nowhere.
        if (place !== undefined && URL.canParse(place)) for (const key of keysInUrl(place)) known.add(key)
      }
      // Most bodies have no such field, and are not read as JSON for it.
      if (GIVEN.test(body)) for (const piece of piecesOf(body)) for (const key of keysInBody(piece)) known.add(key)
    },
    url: (url) => current().redact(withoutKeys(url)),
    text: (text) => current().redact(text),
    isIn: (text) => current().isIn(text),
    json: (value, text) => current().redactJson(value, text),
    value: (value) => {
      for (const key of keysInBody(value)) known.add(key)
      return current().redactJson(value)
    },
  }
}

/** A field of a body that carries a key. Bodies are full of other names with `token` or `key` in them. */
const KEY_IN_BODY =
  /^(authorization|(x[-_])?api[-_]?key|(access|refresh|id|auth|bearer)?[-_]?token|(client[-_]?)?secret|password|private[-_]?key)$/i

/** The end of a field's name, in a body, that a server gives a key in. */
const GIVEN = /(key|token|secret|password|authorization)"\s*:/i

/** A field with more words is a text: each of them would be looked for in all that is recorded. */
const MOST_WORDS = 32

const keysInBody = (body: Json | undefined): ReadonlyArray<string> => {
  if (typeof body === "string") {
    return [...formOf(body), ...partsOf(body)].flatMap(([name, value]) => (KEY_IN_BODY.test(name) ? [value] : []))
  }
  const keys: Array<string> = []
  // A list of what is left, for a body may be nested more deeply than calls can be.
  const left: Array<Json> = body !== undefined && isNested(body) ? [body] : []
  for (let value = left.pop(); value !== undefined; value = left.pop()) gatherKeys(value, keys, left)
  return keys
}

/** Gathers the keys among the fields of one value, and puts the values that are nested in it to what is left. */
const gatherKeys = (value: Json, keys: Array<string>, left: Array<Json>): void => {
  if (Array.isArray(value)) {
    for (const element of value) if (isNested(element)) left.push(element)
  } else if (isObject(value) && !isLogprob(value)) {
    for (const name of Object.keys(value)) {
      const field = value[name]
      if (field !== undefined && isNested(field)) left.push(field)
      else if (typeof field === "string" && KEY_IN_BODY.test(name)) {
        keys.push(field)
        const words = field.split(/\s+/, MOST_WORDS + 1)
        if (words.length <= MOST_WORDS) keys.push(...words)
      }
    }
  }
}

const isNested = (value: Json): boolean => typeof value === "object" && value !== null

/** Whether a `token` is a piece of what a model said, with its probability. */
const isLogprob = (fields: JsonObject): boolean => {
  // Without a list of the names, which would be made for each object of a body.
  for (const name in fields) if (/^log_?prob/i.test(name)) return true
  return false
}

/** The fields of a form (`application/x-www-form-urlencoded`), as far as a text may be one. */
const formOf = (text: string): ReadonlyArray<readonly [string, string]> => {
  const end = text.indexOf("=")
  // A repeated class before the "=" runs out of stack on a text of megabytes.
  return end > 0 && !/[^\w.%+-]/.test(text.slice(0, end)) ? [...new URLSearchParams(text)] : []
}

/** The fields of a form (`multipart/form-data`, RFC 7578), as far as a text may be one. */
const partsOf = (text: string): ReadonlyArray<readonly [string, string]> =>
  text.startsWith("--")
    ? [...text.matchAll(/\bname="([^"\r\n]*)"[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n(.*?)\r\n--/gs)].map(
        ([, name = "", value = ""]) => [name, value] as const,
      )
    : []

/** Where a redirect goes. */
const locationOf = (url: string, headers: AnsweredHeaders): string | undefined => {
  const location = headers.get("location")
  return location !== null && URL.canParse(location, url || undefined)
    ? new URL(location, url || undefined).href
    : undefined
}

const keysInUrl = remembered(Secrets.keysInUrl)

const withoutKeys = remembered((text) => {
  const url = new URL(text)
  ;[url.username, url.password] = ["", ""]
  withoutKeysIn(url.searchParams)
  const fragment = new URLSearchParams(url.hash.slice(1))
  if (withoutKeysIn(fragment)) url.hash = fragment.toString()
  return url.href
})

/** Takes the keys out of fields. Whether there were any. */
const withoutKeysIn = (fields: URLSearchParams): boolean => {
  const names = [...new Set(fields.keys())].filter((name) => Secrets.KEY_FIELD.test(name))
  for (const name of names) fields.set(name, "[redacted]")
  return names.length > 0
}
