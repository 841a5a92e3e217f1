/** Keeps keys out of a recording: those of the environment, and those that the program's requests carry. */

import * as Secrets from "../agents/models/Secrets.ts"
import type { Json } from "../values/Json.ts"
import { isObject, jsonOf } from "./wire/pieces.ts"

/** The keys that are known so far. */
export interface Redaction {
  /** Learns the keys that a request carries, in its headers, its query and the fields of its body that are named like keys. */
  readonly learn: (headers: Headers, url: string, body: Json | undefined) => void
  /** Learns the keys that a server gives in a body, such as an access token. */
  readonly learnGiven: (body: string) => void
  /** A URL without user, password and the values of keys in its query. */
  readonly url: (url: string) => string
  readonly text: (text: string) => string
  readonly isIn: (text: string) => boolean
  readonly json: <A extends Json>(value: A) => A
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
      for (const key of Secrets.keysIn(headers, url)) known.add(key)
      for (const key of keysInBody(body)) known.add(key)
    },
    learnGiven: (body) => {
      // Most bodies have no such field, and are not read as JSON for it.
      if (GIVEN.test(body)) for (const key of keysInBody(jsonOf(body))) known.add(key)
    },
    url: (url) => current().redact(withoutKeys(url)),
    text: (text) => current().redact(text),
    isIn: (text) => current().isIn(text),
    json: (value) => current().redactJson(value),
  }
}

/** A field of a body that carries a key. Bodies are full of other names with `token` or `key` in them. */
const KEY_IN_BODY = /^(api_?key|(access|refresh|id|auth|bearer)?_?token|(client_?)?secret|password|private_?key)$/i

/** A field of a body that a server gives a key in. */
const GIVEN = /"[^"]*(key|token|secret|password)"\s*:/i

const keysInBody = (body: Json | undefined): ReadonlyArray<string> => {
  const fields = typeof body === "string" ? formOf(body) : isObject(body) ? Object.entries(body) : []
  return fields.flatMap(([name, value]) => (KEY_IN_BODY.test(name) && typeof value === "string" ? [value] : []))
}

/** The fields of a form (`application/x-www-form-urlencoded`), as far as a text may be one. */
const formOf = (text: string): ReadonlyArray<readonly [string, string]> =>
  /^[\w.%+-]+=/.test(text) ? [...new URLSearchParams(text)] : []

const withoutKeys = (text: string): string => {
  const url = new URL(text)
  ;[url.username, url.password] = ["", ""]
  for (const name of new Set(url.searchParams.keys())) {
    if (Secrets.KEY_FIELD.test(name)) url.searchParams.set(name, "[redacted]")
  }
  return url.href
}
