/** Parses the arguments of a tool call, and keeps the model's text if the value loses something. */

import { findNonJson, type Json } from "../../values/Json.ts"

export interface Arguments {
  readonly args: Json
  /** Present if the value differs from the text, such as a number of twenty digits. */
  readonly text?: string
  readonly invalid?: true
}

/**
 * Servers write nothing for a call without arguments. Text that is not JSON, or that a log cannot hold, stays as it is.
 */
export const read = (text: string): Arguments => {
  if (text.trim() === "") return { args: {} }
  try {
    const args: Json = JSON.parse(text)
    if (findNonJson(args) === undefined) return { args, ...(isExact(text, args) ? {} : { text: text.toWellFormed() }) }
  } catch {}
  return unread(text)
}

export const unread = (text: string): Arguments => ({ args: text.toWellFormed(), invalid: true })

/**
 * The first whole number in a JSON text that a JavaScript number cannot hold; undefined if there is none. A tool would
 * receive another number than the model meant: ids have twenty digits.
 */
export const lostNumberIn = (text: string): string | undefined => {
  for (const [token] of text.matchAll(TEXT_OR_LONG_NUMBER)) if (!token.startsWith('"') && !isHeld(token)) return token
  return undefined
}

const TEXT_OR_LONG_NUMBER = /"(?:[^"\\]|\\.)*"|-?(?<![\d.])\d{16,}(?![\d.eE])/g

export const isHeld = (digits: string): boolean => BigInt(digits) === BigInt(Number(digits))

/** Whether a value equals its JSON text: apart from whitespace, it is written the same way. */
const isExact = (text: string, value: Json): boolean => {
  const written = JSON.stringify(value)
  return written === text || written === text.replaceAll(SPACE_OUTSIDE_TEXTS, "$1")
}

const SPACE_OUTSIDE_TEXTS = /("(?:[^"\\]|\\.)*")|\s+/g
