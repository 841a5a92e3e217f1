/** Checks payloads against schemas. */

import { Either, Schema } from "effect"
import type { JsonObject } from "../Json.ts"
import * as SchemaPredicate from "../SchemaPredicate.ts"
import { mistakesOf } from "./Mistakes.ts"

/** What is wrong with a payload; undefined if it fits. */
export type PayloadCheck = (payload: JsonObject) => string | undefined

/**
 * The check against a payload schema. It tests the payload first; only one that fails is validated again to collect all
 * reasons.
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
