/**
 * JSON values: their type and schema, a check that a value is JSON, JSON Pointers (RFC 6901), and text from outside.
 */

import { Schema } from "effect"

/** A JSON value (RFC 8259). Payloads, states, readings, arguments and results have this type. */
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

/** The first part of a value that is not JSON. `path` is a JSON Pointer (RFC 6901), `found` says what is there. */
export interface NotJson {
  readonly path: string
  readonly found: string
}

/** Deepest nesting accepted: far above real payloads, far below what overflows a parser's stack. */
export const MAX_DEPTH = 200

/**
 * Whether a parsed value is nested deeper than JSON is accepted. It looks no deeper than that. Ask this before anything that recurses,
 * such as decoding or printing the value: `JSON.parse` itself has no limit.
 */
export const isTooDeep = (value: unknown, levels = MAX_DEPTH): boolean => {
  if (typeof value !== "object" || value === null) return false
  if (levels === 0) return true
  for (const key in value) if (isTooDeep(value[key as keyof typeof value], levels - 1)) return true
  return false
}

/** Parses JSON from outside. Throws if the text is none, or is nested deeper than JSON is accepted. */
export const parseJson = (text: string): Json => {
  const value: Json = JSON.parse(text)
  if (isTooDeep(value)) throw new SyntaxError(`more than ${MAX_DEPTH} levels of nesting`)
  return value
}

/**
 * Finds the first part of a value that JSON cannot represent unchanged: `undefined`, NaN, an infinity, a bigint, a
 * function, a symbol, a class instance (Date and Map among them), a lone surrogate, a hole or a cycle. Returns
 * `undefined` if the value is JSON. -0 is accepted, although it is written and read back as 0.
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

/** Why a value is not JSON, whatever is inside of it; undefined if it may be. `depth` is the number of values around it. */
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

/** A value of a program as JSON, or why there is none. */
export type Stringified = { readonly json: Json } | { readonly refused: string }

/**
 * A value as JSON, the way `JSON.stringify` writes it: a `Date` becomes text, `toJSON` is called, members that are `undefined` are left out; no value, and a function, is null. Half of a
 * character becomes a replacement character. There is no JSON of a cycle, of a BigInt, of a getter that throws, of too many levels.
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

/** The text of what was thrown, which may be anything. */
const thrownText = (thrown: unknown): string => {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown)
  } catch {
    return "it throws what cannot be read"
  }
}

/** Escapes one key as a token of a JSON Pointer (RFC 6901 §3). */
export const pointerToken = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1")

/** Splits a JSON Pointer into its keys (RFC 6901 §4). `""` is the whole document. */
export const pointerKeys = (pointer: string): ReadonlyArray<string> =>
  pointer === ""
    ? []
    : pointer
        .slice(1)
        .split("/")
        .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"))

/** The value at a list of keys, or `undefined` if there is none. Only own properties count, and of a list its items. */
export const valueAt = (document: Json, keys: ReadonlyArray<string>): Json | undefined => {
  let value: Json | undefined = document
  for (const key of keys) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined
    if (key === "length" && Array.isArray(value)) return undefined
    value = (value as JsonObject)[key]
  }
  return value
}

/** Longest text from outside that the log keeps, in characters. */
const MAX_TEXT_LENGTH = 8192

/** Makes text from outside fit for the log: replaces lone surrogates, and truncates text beyond `MAX_TEXT_LENGTH`. */
export const plainText = (text: string): string =>
  (text.length <= MAX_TEXT_LENGTH
    ? text
    : `${text.slice(0, MAX_TEXT_LENGTH)}… (${text.length} characters)`
  ).toWellFormed()
