/** Shortens a program's values so that they fit into an event. */

import { MAX_PAYLOAD_BYTES } from "../events/append/AppendValidation.ts"
import type { Json, JsonObject } from "../values/Json.ts"

/** Maximum size of one value of an event, in bytes of JSON; leaves room for the rest of the payload. */
const MOST_BYTES = MAX_PAYLOAD_BYTES / 2

/**
 * Limits in characters, tried in turn: texts above the limit are omitted, pictures first. Ids are shorter than the
 * lowest.
 */
const LONG_TEXTS = [65_536, 4096, 256, 64]

/**
 * Returns the value, or a copy whose long texts read `[… characters are left out]` if the value is too large for an
 * event.
 *
 * @param otherwise returns a replacement for a value that stays too large because of its number of parts
 */
export const recordable = <A extends Json>(value: A, otherwise: (omitted: string) => A, most = MOST_BYTES): A => {
  const bytes = bytesOf(value)
  if (bytes <= most) return value
  for (const longest of LONG_TEXTS) {
    const shortened = withoutLongTexts(value, longest)
    // Safe: only texts change.
    if (bytesOf(shortened) <= most) return shortened as A
  }
  return otherwise(`[${bytes} bytes are left out]`)
}

/** Large parts of a request: the maximum size in bytes, and the replacement as in {@link recordable}. */
const PARTS: ReadonlyMap<string, readonly [number, (omitted: string) => Json]> = new Map([
  ["messages", [MOST_BYTES, (text) => [{ role: "user", content: [{ type: "text", text }] }]]],
  ["system", [MOST_BYTES / 4, (text) => text]],
  ["tools", [MOST_BYTES / 4, (description) => [{ name: "omitted", description, args: {} }]]],
  ["settings", [MOST_BYTES / 4, (omitted) => ({ omitted })]],
  ["body", [MOST_BYTES, (text) => [0, text]]],
])

/**
 * Shortens the large parts of a request that does not fit into an event. Its address and its predecessor stay intact.
 */
export const recordableRequest = (request: JsonObject): JsonObject => {
  if (bytesOf(request) <= MOST_BYTES) return request
  const fields = Object.entries(request).map(([name, value]) => {
    const [most, otherwise] = PARTS.get(name) ?? []
    return [name, otherwise === undefined ? value : recordable(value, otherwise, most)] as const
  })
  return Object.fromEntries(fields)
}

const bytesOf = (value: Json): number => Buffer.byteLength(JSON.stringify(value))

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
