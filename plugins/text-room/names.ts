/**
 * Things and rooms have one name inside the world: lower case, words joined by `_`. People and agents may write it
 * with spaces, hyphens, capitals or an article.
 */

const ARTICLE = /^(the|an|a)_(?=.)/

/** The one form of a name: `"The Brass Key"`, `"brass-key"` and `"brass_key"` are all `brass_key`. */
export const canonical = (name: string): string =>
  name
    .toWellFormed()
    .normalize("NFC")
    .toLowerCase()
    .replace(/[\s_-]+/g, "_")
    .replace(/^_|_$/g, "")
    .replace(ARTICLE, "")

/** Whether a canonical name is fit for a scenario: letters and digits, words joined by `_`. */
export const isName = (name: string): boolean =>
  /^[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(_[\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*$/u.test(name)

/** A canonical name as it reads in a sentence: `brass key`. */
export const spoken = (name: string): string => name.replaceAll("_", " ")

/** A record's own value at a key. Names come from outside, so nothing inherited may answer for them. */
export const own = <Value>(record: { readonly [key: string]: Value }, key: string): Value | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined
