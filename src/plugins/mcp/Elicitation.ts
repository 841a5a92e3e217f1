/** Input that a server asks of a person during a call: a question with a form. Pure. */
import { defined } from "../../values/defined.ts"
import { type Json, type JsonObject, parseJson } from "../../values/Json.ts"
import { asObject, isObject } from "../../values/JsonObjects.ts"
import * as ComponentSchemas from "../schemas/ComponentSchemas.ts"
import { checkSchema } from "../schemas/checkSchema.ts"

/** The result that the server gets. */
export type ElicitationAnswer =
  | { readonly action: "accept"; readonly content: { readonly [field: string]: Value } }
  | { readonly action: "decline" | "cancel" }

type Value = string | number | boolean | Array<string>

/** A form, as a person is shown it. */
export interface Form {
  readonly message: string
  readonly schema: JsonObject
}

/** Maximum length of a form, in characters of JSON. */
const FORM_LENGTH = 32 * 1024

/** Reads a question. Returns why it cannot be asked, if it cannot. */
export const read = (params: JsonObject): Form | string => {
  if (params.mode !== undefined && params.mode !== "form")
    return `expected a form, found the mode ${JSON.stringify(params.mode)}`
  const { message, requestedSchema } = params
  if (typeof message !== "string" || !isObject(requestedSchema)) return "expected a message and a schema"
  if (JSON.stringify(params).length > FORM_LENGTH) return `expected a form of at most ${FORM_LENGTH} characters`
  const [mistake] = checkSchema(requestedSchema)
  if (mistake !== undefined) return `its schema${mistake.path}: expected ${mistake.expected}, found ${mistake.found}`
  return { message, schema: requestedSchema }
}

/** An answer, or why there is none. */
export type Filled = { readonly content: { readonly [field: string]: Value } } | { readonly why: string }

/**
 * Fills in a form that a person approved: by the schema's defaults, and by the reason of the approval where that is a
 * JSON object. Nothing else is guessed.
 */
export const fill = ({ schema }: Form, reason: string | undefined): Filled => {
  const properties = Object.entries(asObject(schema.properties))
  const defaults = properties.flatMap(([name, property]) => {
    const value = asObject(property).default
    return value === undefined ? [] : [[name, value] as const]
  })
  const content: JsonObject = { ...Object.fromEntries(defaults), ...typedIn(reason) }
  const wrong = ComponentSchemas.validationError("args", schema, content)
  if (wrong !== undefined) return { why: wrong }
  const values = Object.entries(content)
  const other = values.find(([, value]) => !isValue(value))
  return other === undefined
    ? { content: Object.fromEntries(values.filter((pair): pair is [string, Value] => isValue(pair[1]))) }
    : { why: `expected a text, a number, a boolean or a list of texts in ${other[0]}` }
}

const isValue = (value: Json): value is Value =>
  ["string", "number", "boolean"].includes(typeof value) ||
  (Array.isArray(value) && value.every((item) => typeof item === "string"))

const typedIn = (reason: string | undefined): JsonObject => {
  if (reason === undefined || !reason.trimStart().startsWith("{")) return {}
  try {
    return asObject(parseJson(reason))
  } catch {
    return {}
  }
}

/** The content of the confirmation. */
export const shown = (plugin: string, during: string, { message, schema }: Form): JsonObject => ({
  request: "elicitation",
  target: plugin,
  plugin,
  during,
  rule: "elicitation",
  args: {
    message,
    ...defined({ form: schema }),
    answer:
      'Approve to send the form\'s defaults. For other values, give them as a JSON object: --reason \'{"field": "value"}\'',
  },
})
