/**
 * Describes a tool's arguments, its result, a sensor's reading or an agent's answer: by an Effect Schema, by a schema of
 * another library, or by a JSON Schema.
 */

import { Effect, Either, JSONSchema, Schema } from "effect"
import { checkSchema } from "../../plugins/schemas/checkSchema.ts"
import { findNonJson, type Json, JsonObject, pointerKeys } from "../../values/Json.ts"
import { isPlain } from "../../values/OptionIssues.ts"
import * as Options from "../../values/Options.ts"
import type { JsonSchemaValue } from "../../values/schema/JsonSchemaValue.ts"
import { describe } from "../../values/schema/Mistakes.ts"
import * as Standard from "../../values/schema/StandardSchema.ts"
import { isEmptyStruct } from "../../values/schema/Structure.ts"

/**
 * One of:
 *
 * - an Effect Schema that needs no services and can be written as JSON Schema
 * - a Standard Schema that can be written as JSON Schema, such as one of zod 4, arktype or valibot
 * - a JSON Schema (draft 2020-12, or draft-07 if `$schema` says so)
 */
export type DataSchema = Schema.Schema.AnyNoContext | Standard.StandardSchema | JsonSchema

/** A JSON Schema. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/**
 * The described value as a function receives it: decoded by an Effect Schema, validated by a Standard Schema. A JSON
 * Schema gives the value's type if the compiler knows its literal; otherwise the type is `Plain`.
 */
export type Described<Of, Plain> = Of extends Schema.Schema.AnyNoContext
  ? Schema.Schema.Type<Of>
  : Of extends Standard.StandardSchema
    ? Standard.OutputOf<Of>
    : JsonSchemaValue<Of, Plain>

/** The described value as a function returns it: before a Standard Schema validates it. */
export type Returnable<Of, Plain> = Of extends Schema.Schema.AnyNoContext
  ? Schema.Schema.Type<Of>
  : Of extends Standard.StandardSchema
    ? Standard.InputOf<Of>
    : JsonSchemaValue<Of, Plain>

/** Schema of `DataSchema`. `mistakes` checks the inside. */
export const DataSchema = Options.kind<DataSchema>(
  "a Standard Schema (such as zod's), an Effect Schema or a JSON Schema",
  (value) =>
    Schema.isSchema(value) ||
    Standard.isStandardSchema(value) ||
    (typeof value === "object" && value !== null && isPlain(value)),
)

/** The value that a schema describes: received or returned by the program. They differ where a Standard Schema transforms. */
export type Side = "received" | "returned"

/** The JSON Schema of the value as the log has it, or why there is none. */
export const jsonSchemaOf = (schema: DataSchema, side: Side): Either.Either<JsonObject, string> => {
  if (Standard.isStandardSchema(schema)) return Standard.jsonSchemaOf(schema, side === "received" ? "input" : "output")
  // `mistakes` has seen that it is JSON.
  if (isJsonSchema(schema)) return Either.right(schema as JsonObject)
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
export const mistakes = (schema: DataSchema, side: Side): ReadonlyArray<Options.Found> => {
  const isGenerated = !isJsonSchema(schema)
  const notJson = isGenerated ? undefined : findNonJson(schema)
  if (notJson !== undefined) return [{ keys: pointerKeys(notJson.path), expected: "JSON", found: notJson.found }]
  return Either.match(jsonSchemaOf(schema, side), {
    onLeft: (found) => [{ keys: [], expected: "a schema that can be written as JSON Schema", found }],
    onRight: (json) =>
      checkSchema(json).map(({ path, expected, found }) => ({
        // A path in a generated JSON Schema means nothing to the author of the schema.
        keys: isGenerated ? [] : pointerKeys(path),
        expected,
        found,
      })),
  })
}

export const argsMistakes = (schema: DataSchema): ReadonlyArray<Options.Found> => {
  const found = mistakes(schema, "received")
  const type =
    found.length > 0 ? undefined : Either.getOrElse(jsonSchemaOf(schema, "received"), () => ({ type: undefined })).type
  if (type === undefined || type === "object") return found
  return [{ keys: [], expected: "a schema of an object, since arguments have names", found: JSON.stringify(type) }]
}

/** Decodes JSON by a schema; a JSON Schema leaves it as it is. Fails with a description of the mistake. */
export const decodeBy =
  (schema: DataSchema | undefined) =>
  (json: Json): Effect.Effect<unknown, string> => {
    if (schema === undefined) return Effect.succeed(json)
    if (isEffectSchema(schema)) return Effect.mapError(Schema.decodeUnknown(schema)(json), describe)
    return Standard.isStandardSchema(schema) ? Standard.validate(schema, json) : Effect.succeed(json)
  }

/** Decodes JSON at once, for callers that cannot wait. A schema that validates asynchronously fails. */
export const decodeNow = (schema: DataSchema, json: unknown): Either.Either<unknown, string> => {
  if (isEffectSchema(schema)) return Either.mapLeft(Schema.decodeUnknownEither(schema)(json), describe)
  return Standard.isStandardSchema(schema) ? Standard.validateNow(schema, json) : Either.right(json)
}

/** Turns a returned value into JSON: an Effect Schema encodes it, a Standard Schema validates it. */
export const encodeBy =
  (schema: DataSchema | undefined) =>
  (value: unknown): Effect.Effect<unknown, string> => {
    if (schema === undefined) return Effect.succeed(value)
    if (isEffectSchema(schema)) return Effect.mapError(Schema.encodeUnknown(schema)(value), describe)
    return Standard.isStandardSchema(schema) ? Standard.validate(schema, value) : Effect.succeed(value)
  }

/** True for a schema that is itself the JSON Schema, so that decoding by it checks nothing. */
export const isJsonSchema = (schema: DataSchema): schema is JsonSchema =>
  !isEffectSchema(schema) && !Standard.isStandardSchema(schema)

const isEffectSchema = (schema: DataSchema): schema is Schema.Schema.AnyNoContext => Schema.isSchema(schema)

/** The generator gives ids to parts such as `Schema.Unknown`, and one schema may contain several of them. */
const withoutGeneratedIds = (key: string, value: unknown): unknown =>
  key === "$id" && typeof value === "string" && value.startsWith("/schemas/") ? undefined : value
