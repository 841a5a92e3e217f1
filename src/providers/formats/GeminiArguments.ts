/**
 * The arguments of a function call that Gemini streams value by value (`partialArgs` of Vertex AI), each with its place as a
 * JSON path: `$.location`, `$.items[0].name`.
 */

import type { Json } from "../../values/Json.ts"
import { fieldOf, isObject } from "../../values/JsonObjects.ts"
import * as Parts from "../parts.ts"

/** The arguments with further values in their places. A text that continues is one text. */
export const withPartial = (args: Json, partial: ReadonlyArray<unknown>): Json =>
  partial.reduce<Json>((before, arg) => {
    const path = Parts.anyText(fieldOf(arg, "jsonPath")) ?? ""
    return placed(before, segmentsOf(path), (known) => givenValue(arg, known, path.endsWith("[]")))
  }, args)

/** The value of a piece where another may be. Undefined leaves that one. */
const givenValue = (arg: unknown, known: Json | undefined, isList: boolean): Json | undefined => {
  const text = Parts.anyText(fieldOf(arg, "stringValue"))
  if (text !== undefined) return (typeof known === "string" ? known : "") + text
  const [number, flag] = [fieldOf(arg, "numberValue"), fieldOf(arg, "boolValue")]
  if (typeof number === "number") return number
  if (typeof flag === "boolean") return flag
  if (fieldOf(arg, "nullValue") !== undefined) return null
  // A list or an object that is empty.
  return known !== undefined || fieldOf(arg, "willContinue") === true ? undefined : isList ? [] : {}
}

const SEGMENT = /\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\]/g

const segmentsOf = (path: string): ReadonlyArray<string | number> =>
  [...path.matchAll(SEGMENT)].map(([, name, index, quoted, doubleQuoted]) =>
    index === undefined ? (name ?? quoted ?? doubleQuoted ?? "") : Number(index),
  )

/** Maximum length of a list. A place beyond it is none. */
const MOST_ITEMS = 65_536

/** A copy with another value in a place, and the objects and lists that lead there. */
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
