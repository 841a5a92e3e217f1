/** Describes a tool's arguments, its result or a sensor's reading, by an Effect Schema or a JSON Schema. */

import { Effect, Either, JSONSchema, Schema } from "effect"
import { checkSchema } from "../../plugins/schemas/checkSchema.ts"
import { findNonJson, type Json, JsonObject, pointerKeys } from "../../values/Json.ts"
import { isPlain } from "../../values/OptionIssues.ts"
import * as Options from "../../values/Options.ts"
import { describe } from "../../values/schema/Mistakes.ts"
import { isEmptyStruct } from "../../values/schema/Structure.ts"

/**
 * An Effect Schema that needs no services and can be written as JSON Schema, or a JSON Schema (draft 2020-12, or
 * draft-07 if `$schema` says so).
 */
export type DataSchema = Schema.Schema.AnyNoContext | JsonObject

/** The described value: decoded by an Effect Schema; `Plain`, the JSON itself, by a JSON Schema. */
export type Described<Of, Plain> = Of extends Schema.Schema.AnyNoContext ? Schema.Schema.Type<Of> : Plain

/** Schema of `DataSchema`. `mistakes` checks the inside. */
export const DataSchema = Options.kind<DataSchema>(
  "an Effect Schema or a JSON Schema",
  (value) => Schema.isSchema(value) || (typeof value === "object" && value !== null && isPlain(value)),
)

export const jsonSchemaOf = (schema: DataSchema): Either.Either<JsonObject, string> => {
  if (!isEffectSchema(schema)) return Either.right(schema)
  // For `{}` the generator also admits lists.
  if (isEmptyStruct(schema)) return Either.right({ type: "object", properties: {}, additionalProperties: false })
  return Either.try({
    try: () =>
      Schema.decodeUnknownSync(JsonObject)(JSON.parse(JSON.stringify(JSONSchema.make(schema), withoutGeneratedIds))),
    catch: (cause) =>
      (cause instanceof Error ? cause.message : String(cause))
        .split("\n")
        .filter((line) => line !== "")
        .join("; "),
  })
}

/** All mistakes of a schema, by the keys in it. Run `ComponentSchemas.load` first. */
export const mistakes = (schema: DataSchema): ReadonlyArray<Options.Found> => {
  const notJson = isEffectSchema(schema) ? undefined : findNonJson(schema)
  if (notJson !== undefined) return [{ keys: pointerKeys(notJson.path), expected: "JSON", found: notJson.found }]
  return Either.match(jsonSchemaOf(schema), {
    onLeft: (found) => [{ keys: [], expected: "a schema that can be written as JSON Schema", found }],
    onRight: (json) =>
      checkSchema(json).map(({ path, expected, found }) => ({
        // A path in a generated JSON Schema means nothing to the author of an Effect Schema.
        keys: isEffectSchema(schema) ? [] : pointerKeys(path),
        expected,
        found,
      })),
  })
}

export const argsMistakes = (schema: DataSchema): ReadonlyArray<Options.Found> => {
  const found = mistakes(schema)
  const type = found.length > 0 ? undefined : Either.getOrElse(jsonSchemaOf(schema), () => ({ type: undefined })).type
  if (type === undefined || type === "object") return found
  return [{ keys: [], expected: "a schema of an object, since arguments have names", found: JSON.stringify(type) }]
}

/** Decodes JSON by an Effect Schema; any other schema leaves it as it is. Fails with a description of the mistake. */
export const decodeBy =
  (schema: DataSchema | undefined) =>
  (json: Json): Effect.Effect<unknown, string> =>
    schema === undefined || !isEffectSchema(schema)
      ? Effect.succeed(json)
      : Effect.mapError(Schema.decodeUnknown(schema)(json), describe)

export const encodeBy =
  (schema: DataSchema | undefined) =>
  (value: unknown): Effect.Effect<unknown, string> =>
    schema === undefined || !isEffectSchema(schema)
      ? Effect.succeed(value)
      : Effect.mapError(Schema.encodeUnknown(schema)(value), describe)

const isEffectSchema = (schema: DataSchema): schema is Schema.Schema.AnyNoContext => Schema.isSchema(schema)

/** The generator gives ids to parts such as `Schema.Unknown`, and one schema may contain several of them. */
const withoutGeneratedIds = (key: string, value: unknown): unknown =>
  key === "$id" && typeof value === "string" && value.startsWith("/schemas/") ? undefined : value
