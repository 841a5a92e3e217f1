/** The JSON Schema of scenarios, for editors. */

import { JSONSchema, Schema } from "effect"
import { JsonObject } from "../../values/Json.ts"
import { Scenario } from "./Document.ts"

/**
 * The JSON Schema (draft-07) of a scenario, also the package's `schema/scenario.schema.json`. It checks single fields
 * only: `Scenario.decode` also finds unknown names, invalid rules and scenarios that are won at the start.
 */
export const jsonSchema = (): JsonObject =>
  Schema.decodeUnknownSync(JsonObject)({
    title: "scenario",
    description: "A scenario for a world of Hindcast",
    ...JSON.parse(JSON.stringify(JSONSchema.make(Scenario, { target: "jsonSchema7" }), withoutTitles)),
  })

/** Removes the titles of the schema's filters, such as `nonEmptyString`, which do not help an author. */
const withoutTitles = (key: string, value: unknown): unknown => (key === "title" ? undefined : value)
