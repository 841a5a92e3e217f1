/** What a program asks, as an event can hold it. */

import { MAX_PAYLOAD_BYTES } from "../events/append/AppendValidation.ts"
import type { Json, JsonObject } from "../values/Json.ts"

/** The most that one value of an event takes, in bytes of JSON. The rest of its payload has room beside it. */
const MOST_BYTES = MAX_PAYLOAD_BYTES / 2

/**
 * Texts that are longer, in characters, are left out of a value that is too large: pictures first. Ids, of calls among them, are
 * shorter than any.
 */
const LONG_TEXTS = [65_536, 4096, 256, 64]

/**
 * The value; where it is too large for an event, with `[… characters are left out]` for each of its long texts.
 *
 * @param otherwise what takes the place of a value that is too large by the number of its parts, with a text that says so
 */
export const recordable = <A extends Json>(value: A, otherwise: (omitted: string) => A, most = MOST_BYTES): A => {
  const bytes = bytesOf(value)
  if (bytes <= most) return value
  for (const longest of LONG_TEXTS) {
    const shortened = withoutLongTexts(value, longest)
    // Only texts change: the type stays.
    if (bytesOf(shortened) <= most) return shortened as A
  }
  return otherwise(`[${bytes} bytes are left out]`)
}

/** What may be large of a request: the most bytes that it takes, and what takes its place, as in {@link recordable}. */
const PARTS: ReadonlyMap<string, readonly [number, (omitted: string) => Json]> = new Map([
  ["messages", [MOST_BYTES, (text) => [{ role: "user", content: [{ type: "text", text }] }]]],
  ["system", [MOST_BYTES / 4, (text) => text]],
  ["tools", [MOST_BYTES / 4, (description) => [{ name: "omitted", description, args: {} }]]],
  ["settings", [MOST_BYTES / 4, (omitted) => ({ omitted })]],
  ["body", [MOST_BYTES, (text) => [0, text]]],
])

/** A request; where it is too large for an event, with its large parts shortened. Where it went and what it goes on from stays. */
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
