/**
 * The verdicts that a measure's function answers with, and their decoder. The author's side of the type is in
 * `author.ts`.
 */
import { Either, Schema } from "effect"
import { optional } from "../events/vocabulary/EventType.ts"
import type { Json } from "../values/Json.ts"
import { mistakesOf } from "../values/schema/Mistakes.ts"

/** A judgement of one reward or punishment by a measure's function. */
export const Verdict = Schema.Struct({
  name: Schema.String,
  kind: optional(Schema.Literal("reward", "punishment")),
  occurrences: optional(Schema.NonNegativeInt.annotations({ description: "a whole number, 0 or more" })),
  because: Schema.Array(Schema.Int.annotations({ description: "a position" })),
  rationale: optional(Schema.String),
}).annotations({ identifier: "Verdict" })

export type Verdict = typeof Verdict.Type

const decodeVerdicts = Schema.decodeUnknownEither(Schema.Array(Verdict), { onExcessProperty: "error" })

/** Decodes the answer of a measure's function. Left says what was expected, and where. */
export const decode = (answer: Json): Either.Either<ReadonlyArray<Verdict>, string> =>
  Either.mapLeft(decodeVerdicts(answer), (error) => {
    const [first] = mistakesOf(error)
    return `verdicts, at /${first?.path.map(String).join("/") ?? ""}: ${first?.message ?? error.message}`
  })
