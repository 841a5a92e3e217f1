/** The arguments of a tool call as its model wrote them, next to the value that they are parsed to. */

import { findNonJson, type Json } from "../../values/Json.ts"

/** Arguments as a `CallPart` has them. */
export interface Arguments {
  readonly args: Json
  /** Present where the value does not say what the text says, such as a number of twenty digits. */
  readonly text?: string
  readonly invalid?: true
}

/** Reads arguments. Servers write nothing for a call without any. A text that is no JSON, or none that a log holds, stays as it is. */
export const read = (text: string): Arguments => {
  if (text.trim() === "") return { args: {} }
  try {
    const args: Json = JSON.parse(text)
    if (findNonJson(args) === undefined) return { args, ...(isExact(text, args) ? {} : { text: text.toWellFormed() }) }
  } catch {
    // The text is no JSON: it is kept as it is.
  }
  return unread(text)
}

/** Arguments that are no JSON, or not whole. */
export const unread = (text: string): Arguments => ({ args: text.toWellFormed(), invalid: true })

/**
 * The first whole number in a JSON text that a JavaScript number does not hold; undefined if there is none. A tool would get
 * another number than the model meant: ids have twenty digits.
 */
export const lostNumberIn = (text: string): string | undefined => {
  for (const [token] of text.matchAll(TEXT_OR_LONG_NUMBER)) if (!token.startsWith('"') && !isHeld(token)) return token
  return undefined
}

const TEXT_OR_LONG_NUMBER = /"(?:[^"\\]|\\.)*"|-?(?<![\d.])\d{16,}(?![\d.eE])/g

/** Whether a JavaScript number holds a whole number. */
export const isHeld = (digits: string): boolean => BigInt(digits) === BigInt(Number(digits))

/** Whether a value says all that the JSON text of it does: whitespace aside, it is written as the same text. */
const isExact = (text: string, value: Json): boolean => {
  const written = JSON.stringify(value)
  return written === text || written === text.replaceAll(SPACE_OUTSIDE_TEXTS, "$1")
}

const SPACE_OUTSIDE_TEXTS = /("(?:[^"\\]|\\.)*")|\s+/g
