/**
 * Applies the JSON Schemas in a manifest: an actuator's arguments (`args`) and answer (`result`), and a sensor's
 * reading (`reading`).
 *
 * Schemas are draft 2020-12, or draft-07 if `$schema` says so. `format` is asserted; unknown keywords and formats are
 * ignored. Nothing is fetched, and neither a value nor a schema can block the host for long.
 */
import { type Json, type JsonObject, valueAt } from "../../values/Json.ts"
import * as Check from "./Check.ts"
import { checkSchema, type SchemaMistake } from "./checkSchema.ts"

/** Loads the validator. Run it before the first check. */
export { load } from "./dialect.ts"

/** The part of a component, or of an environment, that a schema describes. */
export type SchemaPart = "args" | "reading" | "result" | "options"

/**
 * Describes how a value differs from its schema, for example `args.item: expected string, found 3`. Returns undefined
 * if it matches, or if there is no schema. The schema is compiled at first use, and once for all manifests with the
 * same schema.
 */
export const validationError = (part: SchemaPart, schema: JsonObject | undefined, value: Json): string | undefined =>
  schema === undefined ? undefined : Check.validatorOf(schema).validationError(part, value)

/**
 * The mistakes in the component schemas of a manifest's document. The document may have other mistakes. Paths are
 * relative to the document.
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
