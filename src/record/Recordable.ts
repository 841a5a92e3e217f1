/** What a program asks, as an event can hold it. */

import { MAX_PAYLOAD_BYTES } from "../events/append/AppendValidation.ts"
import type { Json, JsonObject } from "../values/Json.ts"

/** The most that one value of an event takes, in bytes of JSON. The rest of its payload has room beside it. */
const MOST_BYTES = MAX_PAYLOAD_BYTES / 2

/** Texts that are longer, in characters, are left out of a value that is too large: pictures first. */
const LONG_TEXTS = [65_536, 4096, 256, 16]

/** The value; where it is too large for an event, with `[… characters are left out]` for each of its long texts. */
export const recordable = <A extends Json>(value: A): A => {
  if (isSmall(value)) return value
  for (const longest of LONG_TEXTS) {
    const shortened = withoutLongTexts(value, longest)
    // Only texts change: the type stays.
    if (isSmall(shortened)) return shortened as A
  }
  return value
}

const isSmall = (value: Json): boolean => Buffer.byteLength(JSON.stringify(value)) <= MOST_BYTES

const withoutLongTexts = (value: Json, longest: number): Json => {
  if (typeof value === "string") {
    return value.length > longest ? `[${value.length} characters are left out]` : value
  }
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((item) => withoutLongTexts(item, longest))
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([key, field]) => [key, withoutLongTexts(field, longest)]),
  )
}
