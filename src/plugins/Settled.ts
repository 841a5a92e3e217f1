/** The answer of an actuator's `settle`: how a command in doubt ended. */

import { Either, Schema } from "effect"
import { Failure } from "../events/vocabulary/EventType.ts"
import { Json } from "../values/Json.ts"
import { mistakesOf } from "../values/schema/Mistakes.ts"

/** Schema of `Settled`. */
export const Settled = Schema.Union(
  Schema.Struct({ status: Schema.Literal("succeeded"), result: Json }),
  Schema.Struct({ status: Schema.Literal("failed"), error: Failure }),
  Schema.Struct({ status: Schema.Literal("unknown"), reason: Schema.optional(Schema.String) }),
)

export type Settled = typeof Settled.Type

const decodeSettled = Schema.decodeUnknownEither(Settled)

/** Decodes an answer. Left names the expected form, and the place. */
export const decode = (answer: unknown): Either.Either<Settled, string> =>
  Either.mapLeft(decodeSettled(answer), (error) => {
    const [first] = mistakesOf(error)
    const path = first?.path.map(String).join("/") ?? ""
    return `{ status: "succeeded", result }, { status: "failed", error: { code, message } } or { status: "unknown", reason }; found, at /${path}: ${first?.message ?? error.message}`
  })
