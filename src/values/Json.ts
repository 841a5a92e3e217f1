/** JSON values: type, schema, validation, JSON Pointers (RFC 6901), and text from outside. */

import { Schema } from "effect"

/** A JSON value (RFC 8259): the type of payloads, states, readings, arguments and results. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject

/** A JSON object. Every payload is one. */
export interface JsonObject {
  readonly [key: string]: Json
}

/** Schema of {@link Json}. The encoded form equals the decoded form. */
export const Json: Schema.Schema<Json> = /* @__PURE__ */ Schema.declare(
  (value): value is Json => findNonJson(value) === undefined,
  {
    identifier: "Json",
    description: "Any JSON value (RFC 8259)",
    jsonSchema: {},
    arbitrary: () => (fc) => fc.jsonValue().map((value) => value as Json),
  },
)

/** Schema of {@link JsonObject}. */
export const JsonObject: Schema.Schema<JsonObject> = /* @__PURE__ */ Schema.declare(
  (value): value is JsonObject =>
    typeof value === "object" && value !== null && !Array.isArray(value) && findNonJson(value) === undefined,
  {
    identifier: "JsonObject",
    description: "A JSON object (RFC 8259)",
    jsonSchema: { type: "object" },
    arbitrary: () => (fc) => fc.dictionary(fc.string(), fc.jsonValue()).map((value) => value as JsonObject),
  },
)

/** The first part of a value that is not JSON: a JSON Pointer and a description. */
export interface NotJson {
  readonly path: string
  readonly found: string
}

/** Maximum nesting: far above real payloads, far below what overflows a parser's stack. */
export const MAX_DEPTH = 200

/**
 * Reports nesting beyond `levels`, looking no deeper. Check this before code that recurses, such as a decoder or a
 * printer: `JSON.parse` has no limit.
 */
export const isTooDeep = (value: unknown, levels = MAX_DEPTH): boolean => {
  if (typeof value !== "object" || value === null) return false
  if (levels === 0) return true
  for (const key in value) if (isTooDeep(value[key as keyof typeof value], levels - 1)) return true
  return false
}

/** Parses JSON from outside. Throws `SyntaxError` for invalid JSON and for nesting beyond `MAX_DEPTH`. */
export const parseJson = (text: string): Json => {
  const value: Json = JSON.parse(text)
  if (isTooDeep(value)) throw new SyntaxError(`more than ${MAX_DEPTH} levels of nesting`)
  return value
}

/**
 * Finds the first part of a value that JSON cannot represent unchanged: `undefined`, NaN, an infinity, a bigint, a
 * function, a symbol, a class instance (Date and Map included), a lone surrogate, a hole or a cycle. Accepts -0, which
 * JSON writes as 0.
 */
export const findNonJson = (value: unknown): NotJson | undefined => search(value, 0)

const search = (value: unknown, depth: number): NotJson | undefined => {
  const found = notJsonItself(value, depth)
  if (found !== undefined) return { path: "", found }
  return typeof value === "object" && value !== null ? searchInside(value, depth) : undefined
}

const searchInside = (value: object, depth: number): NotJson | undefined => {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const bad = search(value[index], depth + 1)
      if (bad !== undefined) return { path: `/${index}${bad.path}`, found: bad.found }
    }
    return undefined
  }
  for (const key in value) {
    if (!key.isWellFormed()) return { path: `/${pointerToken(key)}`, found: "a key with a lone surrogate" }
    const bad = search(value[key as keyof typeof value], depth + 1)
    if (bad !== undefined) return { path: `/${pointerToken(key)}${bad.path}`, found: bad.found }
  }
  return undefined
}

/** Says why a value itself is not JSON, without looking inside it. `depth` counts the values around it. */
export const notJsonItself = (value: unknown, depth: number): string | undefined => {
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? undefined : "text with a lone surrogate"
    case "number":
      return Number.isFinite(value) ? undefined : String(value)
    case "boolean":
      return undefined
    case "object":
      return value === null ? undefined : notPlain(value, depth)
    default:
      return typeof value === "undefined" ? "undefined" : `a ${typeof value}`
  }
}

const notPlain = (value: object, depth: number): string | undefined => {
  if (depth >= MAX_DEPTH) return `a cycle or more than ${MAX_DEPTH} levels`
  if (Array.isArray(value)) return undefined
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
    ? undefined
    : `an instance of ${prototype.constructor?.name ?? "a class"}`
}

/**
 * Replaces lone surrogates in texts and keys with U+FFFD, for programs that cut text between the halves of a character.
 * Returns the same value if it has none, `undefined` if it is nested too deeply.
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

/** A value as JSON, or the reason why it has no JSON form. */
export type Stringified = { readonly json: Json } | { readonly refused: string }

/**
 * Converts a value as `JSON.stringify` does: calls `toJSON`, drops `undefined` members. `undefined` and functions
 * become null, lone surrogates U+FFFD. Refuses cycles, BigInts, getters that throw, and nesting beyond `MAX_DEPTH`.
 */
export const stringified = (value: unknown): Stringified => {
  try {
    const text = JSON.stringify(value)
    const json = text === undefined ? null : wellFormed(JSON.parse(text))
    return json === undefined || isTooDeep(json) ? refused(`more than ${MAX_DEPTH} levels`) : { json }
  } catch (error) {
    return refused(thrownText(error).split("\n", 1)[0] ?? "")
  }
}

const refused = (reason: string): Stringified => ({
  refused: `expected JSON, found a value that JSON.stringify refuses: ${reason}`,
})

/** Programs may throw anything, also a value whose `toString` throws. */
const thrownText = (thrown: unknown): string => {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown)
  } catch {
    return "it throws something unreadable"
  }
}

/** Escapes a key as a token of a JSON Pointer (RFC 6901 §3). */
export const pointerToken = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1")

/** Splits a JSON Pointer into keys (RFC 6901 §4). `""` is the whole document. */
export const pointerKeys = (pointer: string): ReadonlyArray<string> =>
  pointer === ""
    ? []
    : pointer
        .slice(1)
        .split("/")
        .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"))

/** The value at a path of keys: own properties of objects and items of lists only. */
export const valueAt = (document: Json, keys: ReadonlyArray<string>): Json | undefined => {
  let value: Json | undefined = document
  for (const key of keys) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined
    if (key === "length" && Array.isArray(value)) return undefined
    value = (value as JsonObject)[key]
  }
  return value
}

/** In characters. */
const MAX_TEXT_LENGTH = 8192

/** Makes text from outside fit for the log: replaces lone surrogates, and cuts text at `MAX_TEXT_LENGTH`. */
export const plainText = (text: string): string =>
  (text.length <= MAX_TEXT_LENGTH
    ? text
    : `${text.slice(0, MAX_TEXT_LENGTH)}… (${text.length} characters)`
  ).toWellFormed()
