import { Either, ParseResult, Schema } from "effect"
import { optional } from "../events/vocabulary/EventType.ts"
import type { Json } from "../values/Json.ts"

/** What a measure's function says of one reward or punishment; the author's side of it is in `author.ts`. */
export const Verdict = Schema.Struct({
  name: Schema.String,
  kind: optional(Schema.Literal("reward", "punishment")),
  occurrences: optional(Schema.NonNegativeInt.annotations({ description: "a whole number, 0 or more" })),
  because: Schema.Array(Schema.Int.annotations({ description: "a position" })),
  rationale: optional(Schema.String),
}).annotations({ identifier: "Verdict" })

export type Verdict = typeof Verdict.Type

const decodeVerdicts = Schema.decodeUnknownEither(Schema.Array(Verdict), { onExcessProperty: "error" })

/** Reads what a measure's function answered. Left says what was expected, and where. */
export const decode = (answer: Json): Either.Either<ReadonlyArray<Verdict>, string> =>
  Either.mapLeft(decodeVerdicts(answer), (error) => {
    const [first] = ParseResult.ArrayFormatter.formatErrorSync(error)
    return `verdicts, at /${first?.path.map(String).join("/") ?? ""}: ${first?.message ?? error.message}`
  })
