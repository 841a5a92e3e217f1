/**
 * Function-call arguments that Gemini on Vertex AI streams value by value (`partialArgs`), each with its place as a
 * JSON path: `$.location`, `$.items[0].name`.
 */

import type { Json } from "../../values/Json.ts"
import { fieldOf, isObject } from "../../values/JsonObjects.ts"
import * as Parts from "../parts.ts"

/** Returns the arguments with more values in place. A piece of text extends the text before it. */
export const withPartial = (args: Json, partial: ReadonlyArray<unknown>): Json =>
  partial.reduce<Json>((before, arg) => {
    const path = Parts.anyText(fieldOf(arg, "jsonPath")) ?? ""
    return placed(before, segmentsOf(path), (known) => givenValue(arg, known, path.endsWith("[]")))
  }, args)

/** The value of a piece; undefined keeps the known one. */
const givenValue = (arg: unknown, known: Json | undefined, isList: boolean): Json | undefined => {
  const text = Parts.anyText(fieldOf(arg, "stringValue"))
  if (text !== undefined) return (typeof known === "string" ? known : "") + text
  const [number, flag] = [fieldOf(arg, "numberValue"), fieldOf(arg, "boolValue")]
  if (typeof number === "number") return number
  if (typeof flag === "boolean") return flag
  if (fieldOf(arg, "nullValue") !== undefined) return null
  // An empty list or object.
  return known !== undefined || fieldOf(arg, "willContinue") === true ? undefined : isList ? [] : {}
}

const SEGMENT = /\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\]/g

const segmentsOf = (path: string): ReadonlyArray<string | number> =>
  [...path.matchAll(SEGMENT)].map(([, name, index, quoted, doubleQuoted]) =>
    index === undefined ? (name ?? quoted ?? doubleQuoted ?? "") : Number(index),
  )

/** Maximum length of a list. Values beyond it are dropped. */
const MOST_ITEMS = 65_536

/** Returns a copy with one place changed. Creates the objects and lists on the way to it. */
const placed = (
  whole: Json | undefined,
  [segment, ...further]: ReadonlyArray<string | number>,
  change: (known: Json | undefined) => Json | undefined,
): Json => {
  if (segment === undefined) return change(whole) ?? whole ?? {}
  if (typeof segment === "number") {
    const items: Array<Json> = Array.isArray(whole) ? [...whole] : []
    if (segment > Math.min(items.length, MOST_ITEMS)) return items
    items[segment] = placed(items[segment], further, change)
    return items
  }
  const fields = isObject(whole) ? whole : {}
  const known = Object.hasOwn(fields, segment) ? fields[segment] : undefined
  return Object.fromEntries([...Object.entries(fields), [segment, placed(known, further, change)]])
}
