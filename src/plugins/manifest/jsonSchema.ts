import { JSONSchema, Schema } from "effect"
import { JsonObject } from "../../values/Json.ts"
import { FILE, Manifest } from "./schema.ts"

/**
 * The JSON Schema (draft-07) of the manifest, for editors. It says what each field may be; what no single field is to
 * blame for (names that are there twice, a file that is missing) only `hindcast plugin check` finds.
 * `schema/looper-plugin.schema.json` of the package is this, written down.
 */
export const jsonSchema = (): JsonObject =>
  Schema.decodeUnknownSync(JsonObject)({
    title: FILE,
    description: "The manifest of a Hindcast plugin",
    ...JSON.parse(JSON.stringify(JSONSchema.make(Manifest, { target: "jsonSchema7" }), withoutTitles)),
  })

/** Titles of the schema's own filters, `nonEmptyString` say, tell an author nothing. */
const withoutTitles = (key: string, value: unknown): unknown => (key === "title" ? undefined : value)
