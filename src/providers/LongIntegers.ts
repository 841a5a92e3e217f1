/**
 * Integers in JSON that a JavaScript number cannot hold, such as ids of twenty digits. In commands that a recorded or
 * imported program carried out, they are texts: a rounded number would be another id.
 */

import type { Json } from "../values/Json.ts"

/** The JSON text with such integers as strings; the same text if it has none. */
export const asTexts = (json: string): string => (CANDIDATE.test(json) ? outsideOfTexts(json, exact) : json)

/** The arguments of a call, from the model's own text if the part keeps one. */
export const argumentsOf = <A>({ args, text }: { readonly args: A; readonly text?: string | undefined }): A | Json => {
  const exactly = text === undefined ? undefined : asTexts(text)
  if (exactly === undefined || exactly === text) return args
  try {
    return JSON.parse(exactly)
  } catch {
    // Redaction may have cut the text.
    return args
  }
}

const CANDIDATE = /\d{16}/

const exact = (json: string): string =>
  json.replaceAll(/(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g, (digits) => {
    if (digits.length > MAX_DIGITS) return digits
    const double = Number(digits)
    return BigInt(digits) === BigInt(double) || digits === String(double) ? digits : `"${digits}"`
  })

/** Longer numbers are no ids and stay numbers. */
const MAX_DIGITS = 100

/** Changes the parts of JSON outside of strings. A regular expression would overflow on strings of megabytes. */
export const outsideOfTexts = (json: string, change: (part: string) => string): string => {
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

/** The end of the string at `begin`. */
export const endOfText = (json: string, begin: number): number => {
  for (let end = json.indexOf('"', begin + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let slashes = 0
    while (json[end - 1 - slashes] === "\\") slashes += 1
    if (slashes % 2 === 0) return end + 1
  }
  return json.length
}
