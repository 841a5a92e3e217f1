/** Parses a line or document as JSON, also lines damaged by a crash or by two concurrent writers. */

import * as LongIntegers from "../../providers/LongIntegers.ts"
import { endOfText, outsideOfTexts } from "../../providers/LongIntegers.ts"

export interface LineObjects {
  readonly values: ReadonlyArray<object>
  /** Whether the line holds nothing else. */
  readonly isWhole: boolean
}

/** Maximum number of attempts to find an object in a damaged line. */
const MAX_PLACES = 200

/**
 * The objects of a line. After a machine crash, a line may contain NUL bytes, which are dropped. After a program crash,
 * or with two writers, it may contain several objects, or an object after a fragment.
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

/** The object at the end of a line, after a fragment. An object in the place of a value belongs to the fragment. */
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

/** The end of the object at `begin`; -1 if it does not end. */
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
 * Parses a JSON document. Python's NaN and infinities become null. An integer that a double cannot hold becomes its
 * text, so that two ids of twenty digits stay distinct.
 */
export const parsedDocument = (text: string): unknown => {
  return parsedPlain(LongIntegers.asTexts(withoutMark(text)))
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

const withoutMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
