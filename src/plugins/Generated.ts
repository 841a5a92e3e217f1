/** Decodes the answers of a plugin's provider. `author.ts` has the types for authors. */
import { Either, Schema } from "effect"
import { optional } from "../events/vocabulary/EventType.ts"
import { Json } from "../values/Json.ts"
import { mistakesOf } from "../values/schema/Mistakes.ts"

const Tokens = Schema.NonNegativeInt.annotations({ description: "a whole number of tokens, 0 or more" })

/** An answer of a provider's model. */
const Answer = Schema.Struct({
  is_final: Schema.Boolean,
  text_content: optional(Schema.String),
  reasoning_content: optional(Schema.String),
  tool_calls: optional(
    Schema.Array(Schema.Struct({ id: optional(Schema.NonEmptyString), name: Schema.NonEmptyString, args: Json })),
  ),
  finish: optional(Schema.Literal("length")),
  usage: optional(
    Schema.Struct({
      input_tokens: Tokens,
      output_tokens: Tokens,
      cached_tokens: optional(Tokens),
      reasoning_tokens: optional(Tokens),
    }),
  ),
  cost_usd: optional(Schema.NonNegative.pipe(Schema.finite())),
})

/** An answer of a provider. */
export type GeneratedAnswer = typeof Answer.Type

/** The error that `generate` threw, and when to try again. */
const Thrown = Schema.Struct({
  code: Schema.String,
  message: Schema.String,
  retryAfterMs: optional(Schema.Number),
  response: optional(
    Schema.Struct({
      status: Schema.Number,
      url: Schema.String,
      headers: Schema.Record({ key: Schema.String, value: Schema.String }),
      body: Schema.String,
    }),
  ),
})

/** The error that a provider threw. */
export type GenerateThrown = typeof Thrown.Type

const Generated = Schema.Union(
  Schema.Struct({ answer: Json }),
  Schema.Struct({ thrown: Thrown }),
  Schema.Struct({ cut: Schema.Literal(true) }),
)

/** What `generate` returned: an answer, an error, or pieces that ended without an answer. */
export type Generated =
  | { readonly answer: GeneratedAnswer }
  | { readonly thrown: GenerateThrown }
  | { readonly cut: true }

const decodeOutcome = Schema.decodeUnknownEither(Generated)
const decodeAnswer = Schema.decodeUnknownEither(Answer, { onExcessProperty: "error" })

/** Decodes the runner's answer to a `generate` frame. Left names what was expected of the plugin, and where. */
export const decode = (value: Json): Either.Either<Generated, string> =>
  Either.flatMap(
    Either.mapLeft(decodeOutcome(value), (error) => error.message),
    (outcome): Either.Either<Generated, string> => {
      if (!("answer" in outcome)) return Either.right(outcome)
      return Either.flatMap(
        Either.mapLeft(decodeAnswer(outcome.answer), (error) => {
          const [first] = mistakesOf(error)
          return `an answer, at /${first?.path.map(String).join("/") ?? ""}: ${first?.message ?? error.message}`
        }),
        (answer) => Either.map(contradiction(answer), () => ({ answer })),
      )
    },
  )

/** An answer is final, or it calls tools. One that reached its limit of tokens may be cut off before its calls. */
const contradiction = ({ is_final, tool_calls = [], text_content, finish }: GeneratedAnswer) => {
  if (is_final && tool_calls.length > 0) return Either.left("is_final: false with tool_calls, found true")
  if (!is_final && tool_calls.length === 0 && finish === undefined) {
    return Either.left("tool_calls in an answer with is_final: false, found none")
  }
  return is_final && text_content === undefined && finish === undefined
    ? Either.left("text_content in an answer with is_final: true, found none")
    : Either.right(undefined)
}
