/** Names of rooms, things, agents and flags, as people write them: with spaces, hyphens, capitals or an article. */

/** The canonical form of a name: `brass_key` for `"The Brass Key"`, `"brass-key"` and `"brass_key"`. */
export const canonical = (name: string): string =>
  name
    .toWellFormed()
    .normalize("NFC")
    .toLowerCase()
    .replace(/[\s_-]+/g, "_")
    .replace(/^_|_$/g, "")
    .replace(/^(the|an|a)_(?=.)/, "")

/** A canonical name as text: `brass key`. */
export const asText = (name: string): string => name.replaceAll("_", " ")

/** The value of a record's own property. Names come from outside, so inherited properties are ignored. */
export const own = <Value>(record: { readonly [key: string]: Value }, key: string): Value | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined
