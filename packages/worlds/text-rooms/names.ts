/** Names of rooms, things, agents and flags, which people write with spaces, hyphens, capitals or an article. */

/** `brass_key` for `"The Brass Key"`, `"brass-key"` and `"brass_key"`. */
export const canonical = (name: string): string =>
  name
    .toWellFormed()
    .normalize("NFC")
    .toLowerCase()
    .replace(/[\s_-]+/g, "_")
    .replace(/^_|_$/g, "")
    .replace(/^(the|an|a)_(?=.)/, "")

/** `brass key` for `brass_key`. */
export const asText = (name: string): string => name.replaceAll("_", " ")

/** A record's own property. Names come from outside, so inherited properties do not count. */
export const own = <Value>(record: { readonly [key: string]: Value }, key: string): Value | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined
