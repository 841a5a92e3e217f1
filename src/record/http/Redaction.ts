/** Keeps keys out of recordings: keys in the environment, and keys in the program's requests and their responses. */

import { Schema } from "effect"
import * as Secrets from "../../agents/models/secrets/Secrets.ts"
import { piecesOf } from "../../providers/BodyPieces.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import { canParseUrl } from "../../values/url/canParseUrl.ts"
import { remembered } from "./Remembered.ts"

/** The searched parts of a response. No DOM types: programs that import Hindcast may not have them. */
interface Answered {
  readonly url: string
  readonly headers: AnsweredHeaders
}

interface AnsweredHeaders {
  readonly get: (name: string) => string | null
  readonly getSetCookie: () => ReadonlyArray<string>
}

export interface Redaction {
  /** Learns the keys in a request: in headers, query, and body fields named like keys. */
  readonly learn: (headers: Iterable<[name: string, value: string]>, url: string, body: Json | undefined) => void
  /** Learns the keys in an environment, such as one that the program has changed. */
  readonly learnEnvironment: (env: { readonly [name: string]: string | undefined }) => void
  /** Learns the keys that a server issues: tokens in a body, cookies, and keys in redirect URLs. */
  readonly learnGiven: (response: Answered, body: string) => void
  /** Removes user, password and keys in query and fragment. */
  readonly url: (url: string) => string
  readonly text: (text: string) => string
  readonly isIn: (text: string) => boolean
  /** @param text the value's JSON, if the caller has it already */
  readonly json: <A extends Json>(value: A, text?: string) => A
  /** For arguments and results of functions: learns the keys in fields named like keys, and removes them. */
  readonly value: <A extends Json>(value: A) => A
}

/** The keys that a program declares. Refuses shorter ones than a redaction can remove. */
export const Declared: Schema.Schema<ReadonlyArray<string>> = Schema.Array(
  Schema.String.pipe(
    Schema.filter((text) => text.length >= Secrets.SHORTEST_SECRET && text.isWellFormed()),
    Schema.annotations({
      description: `${Secrets.SHORTEST_SECRET} characters or more, since a shorter key could be part of any sentence, without broken characters`,
    }),
  ),
)

/** @param texts keys that the program declares */
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
    learnEnvironment: (env) => {
      for (const key of Secrets.keysOfEnvironment(env)) known.add(key)
    },
    learnGiven: ({ url, headers }, body) => {
      for (const cookie of headers.getSetCookie()) known.add(cookie.replace(/^[^=]*=/, "").replace(/;.*$/s, ""))
      for (const place of [url, locationOf(url, headers)]) {
        // A hand-made response has no URL.
        if (place !== undefined && canParseUrl(place)) for (const key of keysInUrl(place)) known.add(key)
      }
      // Most bodies have no such field, and parsing them would be slow.
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

/** Names of body fields that hold keys. Kept narrow: bodies have many other names with `token` or `key` in them. */
const KEY_IN_BODY =
  /^(authorization|(x[-_])?api[-_]?key|(access|refresh|id|auth|bearer)?[-_]?token|(client[-_]?)?secret|password|private[-_]?key)$/i

/** The end of a field's name and the colon, for fields in which a server may issue a key. */
const GIVEN = /(key|token|secret|password|authorization)"\s*:/i

/** Fields with more words are prose, whose words must not be redacted everywhere. */
const MOST_WORDS = 32

/** Bodies repeat a few names. */
const isKeyName = remembered((name) => KEY_IN_BODY.test(name))
const isLogprobName = remembered((name) => /^log_?prob/i.test(name))

const keysInBody = (body: Json | undefined): ReadonlyArray<string> => {
  if (typeof body === "string") {
    return [...formOf(body), ...partsOf(body)].flatMap(([name, value]) => (KEY_IN_BODY.test(name) ? [value] : []))
  }
  const keys: Array<string> = []
  // Iterative: a body may be nested deeper than the stack.
  const left: Array<Json> = body !== undefined && isNested(body) ? [body] : []
  for (let value = left.pop(); value !== undefined; value = left.pop()) gatherKeys(value, keys, left)
  return keys
}

const gatherKeys = (value: Json, keys: Array<string>, left: Array<Json>): void => {
  if (Array.isArray(value)) {
    for (const element of value) if (isNested(element)) left.push(element)
  } else if (isObject(value) && !isLogprob(value)) {
    for (const name of Object.keys(value)) {
      const field = value[name]
      if (field !== undefined && isNested(field)) left.push(field)
      else if (typeof field === "string" && isKeyName(name)) {
        keys.push(field)
        const words = field.split(/\s+/, MOST_WORDS + 1)
        if (words.length <= MOST_WORDS) keys.push(...words)
      }
    }
  }
}

const isNested = (value: Json): boolean => typeof value === "object" && value !== null

/** Whether the object's `token` is a model token with its log probability. */
const isLogprob = (fields: JsonObject): boolean => {
  // `in` avoids a list of names for each object.
  for (const name in fields) if (isLogprobName(name)) return true
  return false
}

/** Fields of a form (`application/x-www-form-urlencoded`), if the text looks like one. */
const formOf = (text: string): ReadonlyArray<readonly [string, string]> => {
  const end = text.indexOf("=")
  // A repeated character class overflows the stack on texts of megabytes.
  return end > 0 && !/[^\w.%+-]/.test(text.slice(0, end)) ? [...new URLSearchParams(text)] : []
}

/** Fields of a form (`multipart/form-data`, RFC 7578), if the text looks like one. */
const partsOf = (text: string): ReadonlyArray<readonly [string, string]> =>
  text.startsWith("--")
    ? [...text.matchAll(/\bname="([^"\r\n]*)"[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n(.*?)\r\n--/gs)].map(
        ([, name = "", value = ""]) => [name, value] as const,
      )
    : []

const locationOf = (url: string, headers: AnsweredHeaders): string | undefined => {
  const location = headers.get("location")
  return location !== null && canParseUrl(location, url || undefined)
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

/** Replaces keys; returns whether there were any. */
const withoutKeysIn = (fields: URLSearchParams): boolean => {
  const names = [...new Set(fields.keys())].filter((name) => Secrets.KEY_FIELD.test(name))
  for (const name of names) fields.set(name, "[redacted]")
  return names.length > 0
}
