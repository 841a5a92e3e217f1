/** Validates payloads against schemas. */

import { Either, Schema } from "effect"
import type { JsonObject } from "../Json.ts"
import { mistakesOf } from "./Mistakes.ts"
import * as SchemaPredicate from "./SchemaPredicate.ts"

/** Describes the fault of a payload; undefined if it is valid. */
export type PayloadCheck = (payload: JsonObject) => string | undefined

/**
 * Compiles a schema to a fast check. Only a payload that fails runs through `Schema` again, which collects all reasons.
 */
export const payloadCheck = (schema: Schema.Schema.AnyNoContext): PayloadCheck => {
  const fits = SchemaPredicate.is(schema)
  const explain = Schema.validateEither(schema, { errors: "all" })
  return (payload) => {
    if (fits(payload)) return undefined
    const result = explain(payload)
    if (Either.isRight(result)) return undefined
    return mistakesOf(result.left)
      .map((issue) => `payload/${issue.path.join("/")}: ${issue.message}`)
      .join("; ")
  }
}
