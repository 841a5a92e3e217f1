/** JSON from outside as a log can hold it. */

import { findNonJson, type Json, type JsonObject, MAX_DEPTH } from "./Json.ts"

/**
 * The value with a replacement character (U+FFFD) for each half of a character (a lone surrogate) in its texts and keys, as a program
 * sends that cut a text between two halves; the value itself where there is none. Undefined where it is nested too deeply.
 */
export const wellFormed = (value: Json): Json | undefined =>
  findNonJson(value) === undefined ? value : repaired(value, 0)

const repaired = (value: Json, depth: number): Json | undefined => {
  if (typeof value === "string") return value.toWellFormed()
  if (typeof value !== "object" || value === null) return value
  if (depth >= MAX_DEPTH) return undefined
  return Array.isArray(value) ? repairedItems(value, depth) : repairedFields(value as JsonObject, depth)
}

const repairedItems = (items: ReadonlyArray<Json>, depth: number): Json | undefined => {
  const copied: Array<Json> = []
  for (const item of items) {
    const copy = repaired(item, depth + 1)
    if (copy === undefined) return undefined
    copied.push(copy)
  }
  return copied
}

const repairedFields = (object: JsonObject, depth: number): Json | undefined => {
  const copied: Array<readonly [string, Json]> = []
  for (const [key, value] of Object.entries(object)) {
    const copy = repaired(value, depth + 1)
    if (copy === undefined) return undefined
    copied.push([key.toWellFormed(), copy])
  }
  return Object.fromEntries(copied)
}
