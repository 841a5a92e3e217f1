/** Turns Ajv's errors into messages: path, expected, found. */
import type { ErrorObject } from "ajv"
import { type Json, type JsonObject, pointerKeys } from "../../values/Json.ts"

/** A mismatch at one path of a value. */
export interface Mismatch {
  /** In a program's notation: `args.items[0].name`. */
  readonly place: string
  readonly expected: string
  readonly found: string
}

/** `args.item: expected string, found 3`. */
export const formatMismatch = ({ place, expected, found }: Mismatch): string =>
  `${place}: expected ${expected}, found ${found}`

/** Converts validator errors and drops duplicates. `root` names the value, such as `args`. */
export const mismatches = (root: string, errors: ReadonlyArray<ErrorObject>): ReadonlyArray<Mismatch> => {
  const all = telling(errors).map((error) => mismatch(root, error))
  return [...new Map(all.map((found) => [formatMismatch(found), found])).values()]
}

const telling = (errors: ReadonlyArray<ErrorObject>): ReadonlyArray<ErrorObject> => {
  // Reports a choice rather than the errors inside its alternatives: another alternative might have matched.
  const choicePaths = errors
    .filter(({ keyword }) => CHOICE_KEYWORDS.has(keyword))
    .map(({ schemaPath }) => `${schemaPath}/`)
  const choices = [...new Set(choicePaths)]
  const reported = errors.filter(
    ({ keyword, schemaPath }) =>
      !REPEATING_KEYWORDS.has(keyword) && !choices.some((choice) => schemaPath.startsWith(choice)),
  )
  return reported.length === 0
    ? errors
    : reported.flatMap((error) => (error.keyword === "anyOf" ? meant(error, errors) : [error]))
}

/**
 * The errors of a value that matches no alternative. If a constant distinguishes the alternatives, these are the errors
 * of the alternative that the constant selects, or that none has this constant. Otherwise, it is the choice itself.
 */
const meant = (choice: ErrorObject, errors: ReadonlyArray<ErrorObject>): ReadonlyArray<ErrorObject> => {
  const { schemaPath, instancePath } = choice
  const branches = new Map<string, Array<ErrorObject>>()
  for (const error of errors) {
    const isInside = error.instancePath === instancePath || error.instancePath.startsWith(`${instancePath}/`)
    if (!isInside || !error.schemaPath.startsWith(`${schemaPath}/`)) continue
    const [branch = ""] = error.schemaPath.slice(schemaPath.length + 1).split("/")
    branches.set(branch, [...(branches.get(branch) ?? []), error])
  }
  const constants = [...branches.values()].map((branch) =>
    branch.find((error) => error.keyword === "const" && error.instancePath !== instancePath),
  )
  const [first] = constants
  const others = constants.filter((error) => error !== undefined)
  const alternatives = Array.isArray(choice.schema) ? choice.schema.length : 0
  if (branches.size !== alternatives || others.some((error) => error.instancePath !== others[0]?.instancePath))
    return [choice]
  if (first !== undefined && others.length === alternatives)
    return [{ ...first, keyword: "enum", params: { allowedValues: others.map(({ params }) => params.allowedValue) } }]
  const fitting = [...branches.values()][constants.indexOf(undefined)] ?? []
  const isMeant =
    others.length === alternatives - 1 &&
    !fitting.some((error) => error.keyword === "type" && error.instancePath === instancePath)
  return isMeant ? telling(fitting) : [choice]
}

const CHOICE_KEYWORDS: ReadonlySet<string> = new Set(["anyOf", "oneOf", "not", "contains", "propertyNames"])

/** Keywords whose errors only repeat others. */
const REPEATING_KEYWORDS: ReadonlySet<string> = new Set(["if"])

const mismatch = (root: string, error: ErrorObject): Mismatch => {
  const keys = pointerKeys(error.instancePath)
  const at = (...more: ReadonlyArray<string>) => pathOf(root, [...keys, ...more])
  const { params, parentSchema } = error
  switch (error.keyword) {
    case "required":
    case "dependentRequired":
    case "dependencies":
      return {
        place: at(params.missingProperty),
        expected: property(parentSchema, params.missingProperty),
        found: "nothing",
      }
    case "additionalProperties":
      return unknownField(at(params.additionalProperty), parentSchema)
    case "unevaluatedProperties":
      return unknownField(at(params.unevaluatedProperty), parentSchema)
    case "propertyNames":
      return { place: at(params.propertyName), expected: "another name", found: JSON.stringify(params.propertyName) }
    default:
      return { place: at(), expected: expectation(error), found: shown(error.data) }
  }
}

const pathOf = (root: string, keys: ReadonlyArray<string>): string =>
  keys.reduce((place, key) => {
    if (/^(0|[1-9]\d*)$/.test(key)) return `${place}[${key}]`
    return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key) ? `${place}.${key}` : `${place}[${JSON.stringify(key)}]`
  }, root)

const unknownField = (place: string, schema: unknown): Mismatch => {
  const known = Object.keys(asSchema(asSchema(schema).properties))
  const expected = known.length === 0 ? "no fields" : `one of the fields ${known.join(", ")}`
  return { place, expected, found: "an unknown field" }
}

/** The expectation for a missing field. */
const property = (schema: unknown, name: string): string => {
  const properties = asSchema(asSchema(schema).properties)
  return Object.hasOwn(properties, name) ? described(properties[name]) : "a value"
}

const expectation = ({ keyword, params, schema, parentSchema }: ErrorObject): string => {
  switch (keyword) {
    case "type":
      return types(params.type)
    case "enum":
      return oneOf(params.allowedValues)
    case "const":
      return shown(params.allowedValue)
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
    case "formatMinimum":
    case "formatMaximum":
      return `a value ${params.comparison} ${params.limit}`
    case "multipleOf":
      return `a multiple of ${params.multipleOf}`
    case "minLength":
    case "maxLength":
      return `${bound(keyword)} ${counted(params.limit, "character")}`
    case "minItems":
    case "maxItems":
      return `${bound(keyword)} ${counted(params.limit, "item")}`
    case "minProperties":
    case "maxProperties":
      return `${bound(keyword)} ${counted(params.limit, "field")}`
    case "items":
    case "additionalItems":
    case "unevaluatedItems":
      return `at most ${counted(params.limit ?? params.len, "item")}`
    case "uniqueItems":
      return `items that differ; items ${params.j} and ${params.i} are the same`
    case "pattern":
      return `text that matches ${params.pattern}`
    case "format":
      return `text in the format ${params.format}`
    case "anyOf":
      return alternatives(schema)
    case "oneOf":
      return `exactly one of: ${alternatives(schema)}`
    case "contains":
      return `${counted(params.minContains, "item")} that is ${described(schema)}`
    case "not":
      return `anything but ${described(schema)}`
    case "false schema":
      return "nothing"
    default:
      return described(parentSchema)
  }
}

const bound = (keyword: string) => (keyword.startsWith("min") ? "at least" : "at most")
const counted = (count: number, noun: string) => `${count} ${count === 1 ? noun : `${noun}s`}`
const types = (type: unknown) => [type].flat().join(" or ")
const oneOf = (values: ReadonlyArray<unknown>) => (values.length === 1 ? "" : "one of ") + values.map(shown).join(", ")
const alternatives = (schemas: unknown) =>
  Array.isArray(schemas) ? [...new Set(schemas.map(described))].join(" or ") : "a value"

/** A schema in a few words. */
const described = (schema: unknown): string => {
  if (schema === false) return "nothing"
  const { type, enum: values, const: value, title, description, anyOf } = asSchema(schema)
  if (value !== undefined) return shown(value)
  if (Array.isArray(values)) return oneOf(values)
  if (type !== undefined) return types(type)
  if (anyOf !== undefined) return alternatives(anyOf)
  return [title, description].find((text) => typeof text === "string")?.toString() ?? "a value that its schema allows"
}

const asSchema = (value: unknown): JsonObject =>
  typeof value === "object" && value !== null ? (value as JsonObject) : {}

/** Maximum length of a quoted text, in characters. */
const SHOWN_LENGTH = 60

const shown = (value: unknown): string => {
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`
  if (typeof value === "object" && value !== null) return "an object"
  const text =
    typeof value === "string" ? JSON.stringify(value.slice(0, SHOWN_LENGTH)) : String(value as Json | undefined)
  return typeof value === "string" && value.length > SHOWN_LENGTH ? `${text}…` : text
}
