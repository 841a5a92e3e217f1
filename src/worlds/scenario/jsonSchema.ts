/** The JSON Schema of a scenario's document, for editors. */

import { JSONSchema, Schema } from "effect"
import { JsonObject } from "../../values/Json.ts"
import { Scenario } from "./Document.ts"

/**
 * The JSON Schema (draft-07) of a scenario. It checks single fields only: names that are not there, rules and scenarios
 * that are won at the start are found by `Scenario.decode`. The package's `schema/scenario.schema.json` is this schema,
 * written to a file.
 */
export const jsonSchema = (): JsonObject =>
  Schema.decodeUnknownSync(JsonObject)({
    title: "scenario",
    description: "A scenario for a world of Hindcast",
    ...JSON.parse(JSON.stringify(JSONSchema.make(Scenario, { target: "jsonSchema7" }), withoutTitles)),
  })

/** Removes the titles of the schema's filters, such as `nonEmptyString`: they do not help an author. */
const withoutTitles = (key: string, value: unknown): unknown => (key === "title" ? undefined : value)
