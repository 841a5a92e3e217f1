/** Formats values of a state document as short texts that are safe to show. */
import type { Json } from "../values/Json.ts"
import { oneLine } from "../values/PlainText.ts"
import * as SafeRecord from "../values/SafeRecord.ts"

/** Marks a binding that resolves to nothing. */
export const MISSING = "∅"

/** Texts by value: `{ "0": "south", "*": "elsewhere" }`. `*` matches every other value. */
export type Lookup = { readonly [value: string]: string }

export type Lookups = { readonly [name: string]: Lookup }

/** In characters. */
export const MAX_VALUE = 500

const MAX_DIGITS = 12

const DIGITS = /^\.(\d{1,2})(%?)$/

const NAMED = ["list", "length", "json"]

const LOOKUP_NAME = /^[A-Za-z][\w-]{0,39}$/

/** True if a text may name a lookup. */
export const isLookupName = (text: string): boolean => LOOKUP_NAME.test(text) && !NAMED.includes(text)

/** True if a text is a format or may name a lookup. */
export const isFormat = (text: string): boolean => {
  const digits = DIGITS.exec(text)
  return digits === null ? LOOKUP_NAME.test(text) : Number(digits[1]) <= MAX_DIGITS
}

/**
 * Formats a value as one line of at most `MAX_VALUE` characters, without invisible characters and terminal controls.
 * `undefined` becomes `MISSING`. Ignores a format that does not fit the value.
 */
export const formatted = (value: Json | undefined, format: string | undefined, lookups: Lookups): string => {
  if (value === undefined) return MISSING
  if (format === undefined) return plain(value)
  const lookup = SafeRecord.get(lookups, format)
  if (lookup !== undefined) return lookedUp(lookup, value) ?? plain(value)
  const digits = DIGITS.exec(format)
  if (digits !== null)
    return typeof value === "number" ? fixed(value, Number(digits[1]), digits[2] === "%") : plain(value)
  if (format === "length") return String(lengthOf(value))
  if (format === "list") return list(value)
  return format === "json" ? bounded(value) : plain(value)
}

/** The entry of a lookup for a value. Lists and objects match only `*`. */
export const lookedUp = <Entry>(lookup: { readonly [value: string]: Entry }, value: Json): Entry | undefined => {
  const key = typeof value === "object" && value !== null ? "*" : String(value)
  return SafeRecord.get(lookup, Object.hasOwn(lookup, key) ? key : "*")
}

const plain = (value: Json): string => {
  if (typeof value === "string") return safe(value)
  return typeof value === "number" ? number(value) : bounded(value)
}

/** At most six significant digits; whole numbers are exact. */
const number = (value: number): string =>
  Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)))

const fixed = (value: number, digits: number, percent: boolean): string => {
  const text = (percent ? value * 100 : value).toFixed(digits)
  const unsigned = /^-[0.]+$/.test(text) ? text.slice(1) : text
  return percent ? `${unsigned} %` : unsigned
}

const lengthOf = (value: Json): number => {
  if (typeof value === "string") return value.length
  if (typeof value !== "object" || value === null) return 0
  return Array.isArray(value) ? value.length : Object.keys(value).length
}

/** Items of a list, or keys of an object, separated by commas. */
const list = (value: Json): string => {
  if (typeof value !== "object" || value === null) return plain(value)
  const items: ReadonlyArray<Json> = Array.isArray(value) ? value : Object.keys(value)
  if (items.length === 0) return "–"
  let text = ""
  for (const item of items) {
    text += text === "" ? plain(item) : `, ${plain(item)}`
    if (text.length > MAX_VALUE) break
  }
  return shortened(text)
}

/** Cuts a text from outside before anything reads all of it. */
const safe = (text: string): string =>
  shortened(oneLine((text.length > MAX_VALUE * 2 ? text.slice(0, MAX_VALUE * 2) : text).toWellFormed()))

const shortened = (text: string): string =>
  text.length <= MAX_VALUE ? text : `${text.slice(0, MAX_VALUE - 1).replace(/[\uD800-\uDBFF]$/, "")}…`

/** Compact JSON that stops once the shown part is complete. */
const bounded = (value: Json): string => {
  let text = ""
  const isFull = () => text.length > MAX_VALUE
  const write = (part: Json, depth: number): void => {
    if (isFull()) return
    if (typeof part === "string") text += JSON.stringify(part.slice(0, MAX_VALUE))
    else if (typeof part !== "object" || part === null) text += String(part)
    else if (depth === 0) text += "…"
    else if (Array.isArray(part)) writeAll("[", part, "]", (item: Json) => write(item, depth - 1))
    else {
      writeAll("{", Object.entries(part), "}", ([key, member]) => {
        text += `${JSON.stringify(key.slice(0, MAX_VALUE))}:`
        write(member, depth - 1)
      })
    }
  }
  const writeAll = <Item>(open: string, items: ReadonlyArray<Item>, close: string, each: (item: Item) => void) => {
    text += open
    for (const [index, item] of items.entries()) {
      if (isFull()) break
      if (index > 0) text += ","
      each(item)
    }
    text += close
  }
  write(value, MAX_JSON_DEPTH)
  return safe(text)
}

const MAX_JSON_DEPTH = 8
