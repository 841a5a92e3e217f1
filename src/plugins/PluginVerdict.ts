/** Decodes the verdicts that a measure's function returns. `author.ts` has the type for authors. */
import { Either, Schema } from "effect"
import { optional } from "../events/vocabulary/EventType.ts"
import type { Json } from "../values/Json.ts"
import { mistakesOf } from "../values/schema/Mistakes.ts"

/** A measure function's verdict on one reward or punishment. */
export const PluginVerdict = Schema.Struct({
  name: Schema.String,
  kind: optional(Schema.Literal("reward", "punishment")),
  occurrences: optional(Schema.NonNegativeInt.annotations({ description: "a whole number, 0 or more" })),
  because: Schema.Array(Schema.Int.annotations({ description: "a position" })),
  rationale: optional(Schema.String),
}).annotations({ identifier: "Verdict" })

export type PluginVerdict = typeof PluginVerdict.Type

const decodeVerdicts = Schema.decodeUnknownEither(Schema.Array(PluginVerdict), { onExcessProperty: "error" })

/** Decodes an answer. Left names the expected form, and the place. */
export const decode = (answer: Json): Either.Either<ReadonlyArray<PluginVerdict>, string> =>
  Either.mapLeft(decodeVerdicts(answer), (error) => {
    const [first] = mistakesOf(error)
    return `verdicts, at /${first?.path.map(String).join("/") ?? ""}: ${first?.message ?? error.message}`
  })
