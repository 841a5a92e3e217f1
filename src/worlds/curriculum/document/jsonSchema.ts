/** The JSON Schema of curricula, for editors. */

import { JSONSchema, Schema } from "effect"
import { JsonObject } from "../../../values/Json.ts"
import { Curriculum } from "./Document.ts"

/**
 * The JSON Schema (draft-07) of a curriculum, also the package's `schema/curriculum.schema.json`. It checks single fields
 * only: `Curriculum.decode` also finds unknown names, criteria that can never hold, and cycles without an end.
 */
export const jsonSchema = (): JsonObject =>
  Schema.decodeUnknownSync(JsonObject)({
    title: "curriculum",
    description: "A curriculum of Hindcast",
    ...JSON.parse(JSON.stringify(JSONSchema.make(Curriculum, { target: "jsonSchema7" }), withoutTitles)),
  })

/** Removes the titles of the schema's filters, such as `nonEmptyString`, which do not help an author. */
const withoutTitles = (key: string, value: unknown): unknown => (key === "title" ? undefined : value)
