/** Formats values for people: numbers, times, sizes, positions, and JSON without terminal control characters. */
import type { Json } from "./Json.ts"
import * as StepAddress from "./StepAddress.ts"
import { iso } from "./Time.ts"

/** Characters that control a terminal or are invisible. Plugins and models can produce them. */
const UNSAFE_CHARACTERS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?<=\p{M}{4})\p{M}/gu

/** JSON with control and invisible characters escaped. It parses to the same value. */
export const json = (of: unknown, indent = 0): string =>
  JSON.stringify(of, null, indent).replaceAll(UNSAFE_CHARACTERS, (found) =>
    found === "\n" ? found : escapeJson(found),
  )

/** Escapes each UTF-16 unit (RFC 8259 §7). */
const escapeJson = (text: string): string =>
  Array.from({ length: text.length }, (_, index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`).join(
    "",
  )

/** Shortens text to at most `length` characters, with `…` at the end. */
export const shorten = (text: string, length: number): string => {
  const characters = [...text]
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join("")}…`
}

/** In characters. */
const VALUE_LENGTH = 80

/** Compact JSON on one line, shortened. `undefined` becomes "nothing". */
export const value = (of: Json | undefined, length = VALUE_LENGTH): string =>
  of === undefined ? "nothing" : shorten(json(of), length)

/** `@412` */
export const at = (position: number): string => StepAddress.addressOf(position)

/** ISO 8601 in UTC, to the millisecond. */
export const time = (epochMs: number): string => iso(epochMs)

/** Writes the minus sign "−", which is as wide as "+". */
export const signed = (of: number): string => String(of).replace("-", "−")

/** At most three decimals. */
export const number = (of: number): string => signed(Math.round(of * 1000) / 1000)

/** A fraction as a percentage with at most one decimal: `66.7 %`. */
export const percent = (share: number): string => `${signed(Math.round(share * 1000) / 10)} %`

/** Milliseconds below a second, otherwise seconds: `420 ms`, `1.5 s`. */
export const duration = (ms: number): string => (ms < 1000 ? `${number(ms)} ms` : `${(ms / 1000).toFixed(1)} s`)

/** `1 event`, `2 events`. */
export const count = (of: number, noun: string): string => `${of} ${nouns(of, noun)}`

/** The noun, with an "s" unless the number is 1. */
export const nouns = (of: number, noun: string): string => (of === 1 ? noun : `${noun}s`)

const UNITS = ["kB", "MB", "GB", "TB"]

/** `512 B`, `1.2 kB`, `87.6 MB`. 1 kB is 1,000 bytes. */
export const size = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} B`
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length)
  return `${(bytes / 1000 ** power).toFixed(1)} ${UNITS[power - 1]}`
}
