/** What an actuator answers when it is asked what became of a command in doubt (`settle`). */

import { Either, Schema } from "effect"
import { Failure } from "../events/vocabulary/EventType.ts"
import { Json } from "../values/Json.ts"
import { mistakesOf } from "../values/schema/Mistakes.ts"

/** Schema of the answer. */
export const Settled = Schema.Union(
  Schema.Struct({ status: Schema.Literal("succeeded"), result: Json }),
  Schema.Struct({ status: Schema.Literal("failed"), error: Failure }),
  Schema.Struct({ status: Schema.Literal("unknown"), reason: Schema.optional(Schema.String) }),
)

export type Settled = typeof Settled.Type

const decodeSettled = Schema.decodeUnknownEither(Settled)

/** Decodes an answer. Left says what was expected, and where. */
export const decode = (answer: unknown): Either.Either<Settled, string> =>
  Either.mapLeft(decodeSettled(answer), (error) => {
    const [first] = mistakesOf(error)
    const path = first?.path.map(String).join("/") ?? ""
    return `{ status: "succeeded", result }, { status: "failed", error: { code, message } } or { status: "unknown", reason }; found, at /${path}: ${first?.message ?? error.message}`
  })
