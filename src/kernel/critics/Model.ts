/** The interface of language models that judge tasks, with their requests and answers. */

import { Data, Effect, Schema } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import { optional } from "../../events/vocabulary/EventType.ts"
import { type Json, JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"

/** An event as a model is shown it: its position, which it may cite, its type, actor and payload. */
export const ShownEvidence = Schema.Struct({
  at: Schema.Int,
  type: Schema.String,
  by: Schema.String,
  payload: JsonObject,
}).annotations({ identifier: "Shown" })

export type ShownEvidence = typeof ShownEvidence.Type

/** A question to a model: whether one reward's condition held in one task. Weights are withheld from it. */
export interface ModelRequest {
  /** The measure's full name, and its description. */
  readonly measure: string
  readonly description: string
  readonly reward: {
    readonly kind: "reward" | "punishment"
    readonly name: string
    /** The condition, in words. */
    readonly when: string
    readonly per: "task" | "occurrence"
  }
  readonly task: {
    readonly id: string
    readonly goal: string
    readonly agent: string
    readonly outcome: string | null
  }
  /** The task's events. If they are too many, the first and the last ones. */
  readonly evidence: ReadonlyArray<ShownEvidence>
  /** Number of omitted events in between. */
  readonly omitted: number
  /** Settings of the caller, such as a temperature. */
  readonly settings: JsonObject
  /** Which repetition of the question this is, from 1, and how many there are. */
  readonly repeat: number
  readonly repeats: number
}

/** A model's answer. */
export const ModelAnswer = Schema.Struct({
  /** Whether the condition held. */
  verdict: Schema.Boolean,
  /** Number of occurrences, for a reward that counts each. Default: 1. */
  occurrences: optional(Schema.Positive.pipe(Schema.int())),
  /** Positions of the evidence that made it true: at least one, if it held. */
  because: Schema.Array(Schema.Int),
  rationale: Schema.String,
}).annotations({ identifier: "Answer" })

export type ModelAnswer = typeof ModelAnswer.Type

/** A model's response. */
export interface Response {
  /** The answer as the model gave it. The caller validates it. */
  readonly answer: Json
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number }
}

/** Retry, or use another model: this one did not answer. */
export class ModelFailed extends Data.TaggedError("ModelFailed")<{
  readonly provider: string
  readonly model: string
  readonly reason: string
}> {
  override get message() {
    return `${this.provider}/${this.model} did not answer: ${this.reason}`
  }
}

/** Ask the model itself: the score set has no answer to this question. */
export class NoRecording extends Data.TaggedError("NoRecording")<{
  readonly provider: string
  readonly model: string
  readonly scoreSetId: string
  readonly requestDigest: string
}> {
  override get message() {
    return `no recording: score set ${this.scoreSetId} has no answer of ${this.provider}/${this.model} to this question (digest ${this.requestDigest.slice(0, 16)})`
  }
}

/** A language model that answers questions. Implement this interface to call a provider. */
export interface Model {
  readonly provider: string
  readonly model: string
  /** Whether its answers come from a log. They are not recorded again. */
  readonly recorded: boolean
  /** Answers one question, or fails with `ModelFailed`. `requestDigest` is the digest of the whole question. */
  readonly ask: (
    question: ModelRequest,
    requestDigest: string,
  ) => Effect.Effect<Response, ModelFailed | NoRecording | LogError>
}

/** A model to ask, and how. */
export interface ModelOptions {
  readonly model: Model
  /** Number of times each question is asked. The majority counts. Default: 3. */
  readonly repeats?: number
  /** Settings of the caller, passed to the model and recorded. Default: none. */
  readonly settings?: JsonObject
}

/** Schema of `Model`. It returns the value itself. */
const ModelKind = Options.kind<Model>("a model: an object with provider, model, recorded and a function ask", (value) =>
  Options.has("provider", "model", "recorded", "ask")(value),
)

/** Most repetitions of a question. */
const MAX_REPEATS = 1_000

/** Schema of `ModelOptions`. */
export const ModelOptions = Options.of<ModelOptions>({
  required: { model: ModelKind },
  optional: { repeats: Options.wholeNumber(1, MAX_REPEATS), settings: JsonObject },
}).annotations({ description: "an object with the model to ask" })

/**
 * A model that is a function of the program, for tests and where no provider is available. Its name identifies the
 * script and its version, as in `keywords@1`; score sets tell critics apart by it. If the script returns undefined,
 * the model fails.
 */
export const scripted = (name: string, script: (question: ModelRequest) => ModelAnswer | undefined): Model => ({
  provider: SCRIPT,
  model: name,
  recorded: false,
  ask: (question) =>
    Effect.try({
      try: () => script(question),
      catch: (cause) =>
        new ModelFailed({
          provider: SCRIPT,
          model: name,
          reason: cause instanceof Error ? cause.message : String(cause),
        }),
    }).pipe(
      Effect.flatMap((answer) =>
        answer === undefined
          ? new ModelFailed({ provider: SCRIPT, model: name, reason: "it has no answer to this" })
          : Effect.succeed({ answer: { ...answer }, usage: { inputTokens: 0, outputTokens: 0 } }),
      ),
    ),
})

const SCRIPT = "script"
