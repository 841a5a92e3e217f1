/**
 * Canonical names of things and rooms: lower case, words joined by `_`. People and agents may use spaces, hyphens,
 * capitals or an article.
 */

const ARTICLE = /^(the|an|a)_(?=.)/

/** `brass_key` for `"The Brass Key"`, `"brass-key"` and `"brass_key"`. */
export const canonical = (name: string): string =>
  name
    .toWellFormed()
    .normalize("NFC")
    .toLowerCase()
    .replace(/[\s_-]+/g, "_")
    .replace(/^_|_$/g, "")
    .replace(ARTICLE, "")

/** Whether a scenario may use a canonical name: letters and digits, words joined by `_`. */
export const isName = (name: string): boolean =>
  /^[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(_[\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*$/u.test(name)

/** `brass key` for `brass_key`. */
export const asText = (name: string): string => name.replaceAll("_", " ")

/** A record's own property. Names come from outside, so inherited properties do not count. */
export const ownProperty = <Value>(record: { readonly [key: string]: Value }, key: string): Value | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined
