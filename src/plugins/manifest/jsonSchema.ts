/** The manifest's JSON Schema, for editors. */
import { JSONSchema, Schema } from "effect"
import { JsonObject } from "../../values/Json.ts"
import { FILE } from "./ManifestFile.ts"
import { Manifest } from "./schema.ts"

/**
 * JSON Schema (draft-07) for single fields; the package has it as a file, `schema/looper-plugin.schema.json`.
 * `hindcast plugin check` also checks rules that span fields, such as duplicate names and missing files.
 */
export const jsonSchema = (): JsonObject =>
  Schema.decodeUnknownSync(JsonObject)({
    title: FILE,
    description: "The manifest of a Hindcast plugin",
    ...JSON.parse(JSON.stringify(JSONSchema.make(Manifest, { target: "jsonSchema7" }), withoutTitles)),
  })

/** Drops the titles of the schema's filters, such as `nonEmptyString`: they do not help an author. */
const withoutTitles = (key: string, value: unknown): unknown =>
  key === "title" && typeof value === "string" ? undefined : value
