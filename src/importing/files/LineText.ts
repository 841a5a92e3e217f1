/** The JSON of a line or a document, also where a crash or two programs at once damaged the line. */

/** The objects of a line. */
export interface LineObjects {
  readonly values: ReadonlyArray<object>
  /** Whether there is nothing else in the line. */
  readonly isWhole: boolean
}

/** Most places in a damaged line where an object is looked for. */
const MAX_PLACES = 200

/**
 * The objects of a line. Where a machine stopped, a file may have NULs, which are left out; where a program did, or two wrote at the same
 * time, a line may have several objects, or an object after a part of one.
 */
export const objectsIn = (text: string): LineObjects => {
  const value = jsonOf(text)
  if (value !== undefined) return isObject(value) ? { values: [value], isWhole: true } : NONE
  const plain = (text.includes("\0") ? text.replaceAll("\0", "") : text).trim()
  const values: Array<object> = []
  let from = 0
  while (plain.startsWith("{", from)) {
    const end = endOfObject(plain, from)
    const found = end < 0 ? undefined : jsonOf(plain.slice(from, end))
    if (!isObject(found)) break
    values.push(found)
    from = end
  }
  if (from === plain.length) return { values, isWhole: values.length > 0 }
  const last = lastObject(plain, from)
  return { values: last === undefined ? values : [...values, last], isWhole: false }
}

/** The object at the end of a line, after a part of another one. One that stands where a value does is a part of that. */
const lastObject = (text: string, from: number): object | undefined => {
  let places = 0
  for (let at = text.indexOf('{"', from); at >= 0 && places < MAX_PLACES; at = text.indexOf('{"', at + 1), places++) {
    if (/[:,[]\s*$/.test(text.slice(Math.max(0, at - 3), at))) continue
    const found = jsonOf(text.slice(at))
    if (isObject(found)) return found
  }
  return undefined
}

const NONE: LineObjects = { values: [], isWhole: false }

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const jsonOf = (text: string): unknown => {
  try {
    return parsedDocument(text)
  } catch {
    return undefined
  }
}

/** Where the object ends that begins somewhere; -1 if it does not. */
const endOfObject = (text: string, begin: number): number => {
  let depth = 0
  for (let at = begin; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === '"') at = endOfText(text, at) - 1
    else if (char === "{") depth += 1
    else if (char === "}" && --depth === 0) return at + 1
  }
  return -1
}

/**
 * A JSON document. Python writes NaN and infinities as words that are no JSON: outside of texts they become null. A whole number whose last
 * digits a double does not hold becomes the text of it, so that two ids of twenty digits stay two.
 */
export const parsedDocument = (text: string): unknown => {
  const plain = withoutMark(text)
  if (LONG_NUMBER.test(plain)) return parsedPlain(outsideOfTexts(plain, exact))
  return parsedPlain(plain)
}

const parsedPlain = (plain: string): unknown => {
  try {
    return JSON.parse(plain)
  } catch (cause) {
    if (!NO_NUMBERS.test(plain)) throw cause
    return JSON.parse(outsideOfTexts(plain, (json) => json.replaceAll(new RegExp(NO_NUMBERS, "g"), "null")))
  }
}

const NO_NUMBERS = /-?\b(?:NaN|Infinity)\b/

/** Digits that may be of a number that no double holds; it has no fraction and no exponent. */
const LONG_NUMBER = /\d{17}/

const exact = (json: string): string =>
  json.replaceAll(/(?<![\d.eE+-])-?\d{17,}(?![\d.eE])/g, (digits) => {
    if (digits.length > MAX_DIGITS) return digits
    const double = Number(digits)
    return BigInt(digits) === BigInt(double) || digits === String(double) ? digits : `"${digits}"`
  })

/** Longer numbers are no ids: they stay as they are. */
const MAX_DIGITS = 100

/** JSON whose parts outside of texts are changed. No pattern fits a text of megabytes. */
const outsideOfTexts = (json: string, change: (part: string) => string): string => {
  const parts: Array<string> = []
  for (let from = 0; from < json.length; ) {
    const quote = json.indexOf('"', from)
    const begin = quote < 0 ? json.length : quote
    parts.push(change(json.slice(from, begin)))
    from = endOfText(json, begin)
    parts.push(json.slice(begin, from))
  }
  return parts.join("")
}

/** Where the text in quotes that begins somewhere has ended. */
const endOfText = (json: string, begin: number): number => {
  for (let end = json.indexOf('"', begin + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let slashes = 0
    while (json[end - 1 - slashes] === "\\") slashes += 1
    if (slashes % 2 === 0) return end + 1
  }
  return json.length
}

/** A text without its byte order mark. */
const withoutMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
