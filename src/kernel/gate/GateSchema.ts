/** The JSON Schema of a file of gate rules, for editors. */

import { JSONSchema } from "effect"
import type { JsonObject } from "../../values/Json.ts"
import { GateConfig } from "./GateConfig.ts"

/**
 * The JSON Schema (draft-07) of gate rules, also the package's `schema/gate.schema.json`. `Gate.decode` checks more: names
 * that repeat, and patterns that no name fits.
 */
export const jsonSchema = (): JsonObject =>
  JSON.parse(
    JSON.stringify(
      {
        title: "gate rules",
        description: "Rules of Hindcast's gate: which commands run, which are refused, and which wait for a person",
        ...JSONSchema.make(GateConfig, { target: "jsonSchema7" }),
      },
      (key, value) => (key === "title" && value !== "gate rules" ? undefined : value),
    ),
  )
