/**
 * Canonical names of things and rooms: lower case, words joined by `_`. People and agents may write a name with spaces,
 * hyphens, capitals or an article.
 */

const ARTICLE = /^(the|an|a)_(?=.)/

/** The canonical form of a name: `brass_key` for `"The Brass Key"`, `"brass-key"` and `"brass_key"`. */
export const canonical = (name: string): string =>
  name
    .toWellFormed()
    .normalize("NFC")
    .toLowerCase()
    .replace(/[\s_-]+/g, "_")
    .replace(/^_|_$/g, "")
    .replace(ARTICLE, "")

/** Whether a canonical name is valid in a scenario: letters and digits, words joined by `_`. */
export const isName = (name: string): boolean =>
  /^[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(_[\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*$/u.test(name)

/** A canonical name as text: `brass key`. */
export const asText = (name: string): string => name.replaceAll("_", " ")

/** The value of a record's own property. Names come from outside, so inherited properties are ignored. */
export const ownProperty = <Value>(record: { readonly [key: string]: Value }, key: string): Value | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined
