/** The JSON Schema of the manifest, for editors. */
import { JSONSchema, Schema } from "effect"
import { JsonObject } from "../../values/Json.ts"
import { FILE, Manifest } from "./schema.ts"

/**
 * The JSON Schema (draft-07) of the manifest. It checks single fields only. Rules that span several fields (duplicate
 * names, a missing file) are checked by `hindcast plugin check`. The package's `schema/looper-plugin.schema.json` is
 * this schema, written to a file.
 */
export const jsonSchema = (): JsonObject =>
  Schema.decodeUnknownSync(JsonObject)({
    title: FILE,
    description: "The manifest of a Hindcast plugin",
    ...JSON.parse(JSON.stringify(JSONSchema.make(Manifest, { target: "jsonSchema7" }), withoutTitles)),
  })

/** Removes the titles of the schema's filters, such as `nonEmptyString`: they do not help an author. */
const withoutTitles = (key: string, value: unknown): unknown =>
  key === "title" && typeof value === "string" ? undefined : value
