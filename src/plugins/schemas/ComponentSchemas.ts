/**
 * Applies a manifest's JSON Schemas: an actuator's arguments (`args`) and answer (`result`), and a sensor's `reading`.
 *
 * Schemas are draft 2020-12, or draft-07 if `$schema` says so. Validation asserts `format`, ignores unknown keywords
 * and formats, and fetches nothing. Neither a value nor a schema can block the host for long.
 */
import { type Json, type JsonObject, valueAt } from "../../values/Json.ts"
import * as Check from "./Check.ts"
import { checkSchema, type SchemaMistake } from "./checkSchema.ts"

/** Loads the validator; run it before the first check. */
export { load } from "./dialect.ts"

/** The value that a schema describes. */
export type SchemaPart = "args" | "reading" | "result" | "options" | "answer"

/**
 * Describes how a value differs from its schema, for example `args.item: expected string, found 3`. Undefined if it
 * matches or there is no schema.
 */
export const validationError = (part: SchemaPart, schema: JsonObject | undefined, value: Json): string | undefined =>
  schema === undefined ? undefined : Check.validatorOf(schema).validationError(part, value)

/**
 * Checks the component schemas of a manifest's document, which may have other mistakes. Paths start at the document.
 */
export const schemaMistakes = (document: Json): ReadonlyArray<SchemaMistake> => [
  ...mistakesAt(document, ["peas", "environment", "options"]),
  ...SCHEMA_PATHS.flatMap(([list, part]) => {
    const components = valueAt(document, ["peas", list])
    if (!Array.isArray(components)) return []
    return components.flatMap((_, index) => mistakesAt(document, ["peas", list, String(index), part]))
  }),
]

const mistakesAt = (document: Json, keys: ReadonlyArray<string>): ReadonlyArray<SchemaMistake> => {
  const schema = valueAt(document, keys)
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return []
  return checkSchema(schema as JsonObject).map(({ path, ...mistake }) => ({
    ...mistake,
    path: `/${keys.join("/")}${path}`,
  }))
}

const SCHEMA_PATHS: ReadonlyArray<readonly [list: string, part: SchemaPart]> = [
  ["sensors", "reading"],
  ["actuators", "args"],
  ["actuators", "result"],
]
