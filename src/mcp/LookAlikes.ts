/**
 * Keys that other readers take for a key that they know. Some decoders, Go's among them, ignore the case of keys: what the
 * gate reads in `name`, such a server finds in `Name`. Pure.
 */

import type { JsonObject } from "../values/Json.ts"

/** The first key that is none of `known`, and differs from one of them only in case. */
export const lookAlike = (object: JsonObject, known: ReadonlySet<string>): string | undefined => {
  const folded = new Set([...known].map(fold))
  return Object.keys(object).find((key) => !known.has(key) && folded.has(fold(key)))
}

/** Upper case first: `ſ` is an `s` for those decoders, and the Kelvin sign a `k`. */
const fold = (key: string): string => key.toUpperCase().toLowerCase()
