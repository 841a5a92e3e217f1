/** Completions at a place of a YAML document by its JSON Schema: missing keys, and the words of a value. */
import type { Json, JsonObject } from "../../../values/Json.ts"
import { asObject } from "../../../values/JsonObjects.ts"
import { fieldsOf, schemasAt } from "./schemaHelp.ts"
import { placeAt } from "./yamlPlace.ts"
import { lineEnd, type Place } from "./yamlText.ts"

export interface Option {
  readonly name: string
  readonly description: string
  readonly isRequired: boolean
  /** The inserted text, which replaces `from` to `to`. */
  readonly text: string
}

export interface Completion {
  /** The replaced range. */
  readonly from: number
  readonly to: number
  /** The text before the caret, without a quotation mark. */
  readonly begun: string
  readonly options: ReadonlyArray<Option>
}

export const completionAt = (schema: JsonObject, text: string, offset: number): Completion => {
  const place = placeAt(text, offset)
  if (place === null) return { from: offset, to: offset, begun: "", options: [] }
  const { from, to } = place
  const begun = text.slice(from, offset).replace(/^["']/, "").toLowerCase()
  const options = [...keysAt(schema, text, place), ...wordsAt(schema, text, place)].filter(({ name }) =>
    name.toLowerCase().startsWith(begun),
  )
  return { from, to, begun, options }
}

const keysAt = (schema: JsonObject, text: string, { path, isKey, from, to, beside }: Place): ReadonlyArray<Option> => {
  if (!isKey) return []
  const all = schemasAt(schema, path)
  const fitting = all.filter((one) => fits(one, beside))
  const schemas = fitting.length > 0 ? fitting : all
  const fields = new Map<string, Option>()
  const isQuoted = quotes(text, from)
  const hasColon = /^\s*:/.test(text.slice(to, lineEnd(text, to)))
  for (const { name, description, isRequired } of schemas.flatMap((one) => fieldsOf(schema, one))) {
    if (beside.has(name)) continue
    const before = fields.get(name)
    fields.set(name, {
      name,
      description: before?.description || description,
      // If the alternatives differ, a key is required only if all alternatives that have it require it.
      isRequired: isRequired && (before?.isRequired ?? true),
      text: `${isQuoted ? JSON.stringify(name) : name}${hasColon ? "" : ": "}`,
    })
  }
  return [...fields.values()].sort((a, b) => Number(b.isRequired) - Number(a.isRequired))
}

/** Whether to quote the inserted text: after an opening quotation mark, and in JSON. */
const quotes = (text: string, from: number): boolean => /["']/.test(text[from] ?? "") || /^\s*\{/.test(text)

/** Whether a schema allows the values next to a place. */
const fits = ({ properties }: JsonObject, beside: Place["beside"]): boolean =>
  Object.entries(asObject(properties)).every(([name, schema]) => {
    const written = beside.get(name)
    const words = wordsOf(asObject(schema))
    return written === undefined || written === "" || words.length === 0 || words.map(String).includes(written)
  })

const wordsAt = (schema: JsonObject, text: string, { path, isKey, from, beside }: Place): ReadonlyArray<Option> => {
  if (isKey && (beside.size > 0 || path.length === 0)) return []
  const found = new Map<string, Option>()
  for (const one of schemasAt(schema, path)) {
    const description = typeof one.description === "string" ? one.description : ""
    for (const word of wordsOf(one)) {
      const name = String(word)
      if (found.has(name)) continue
      const written = typeof word === "string" && quotes(text, from) ? JSON.stringify(word) : name
      found.set(name, { name, description, isRequired: false, text: text[from - 1] === ":" ? ` ${written}` : written })
    }
  }
  return [...found.values()]
}

/** The words that a schema names: an enumeration, a constant, or true and false. */
const wordsOf = ({ enum: values, const: value, type }: JsonObject): ReadonlyArray<Json> => {
  if (Array.isArray(values)) return values.filter(isWord)
  return value !== undefined ? [value].filter(isWord) : type === "boolean" ? [true, false] : []
}

const isWord = (value: Json): boolean => typeof value !== "object" || value === null
