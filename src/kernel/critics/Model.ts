/** The interface of language models that judge tasks, with their requests and answers. */

import { Data, Effect, Schema } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import type { ModelCost, ModelFailureKind, ModelUsage } from "../../events/vocabulary/Deciding.ts"
import { optional } from "../../events/vocabulary/EventType.ts"
import { type Json, JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"

/** An event in a question: its position, which the model may cite, its type, actor and payload. */
export const ShownEvidence = Schema.Struct({
  at: Schema.Int,
  type: Schema.String,
  by: Schema.String,
  payload: JsonObject,
}).annotations({ identifier: "Shown" })

export type ShownEvidence = typeof ShownEvidence.Type

/** Asks whether one reward's condition held in one task. Withholds weights. */
export interface ModelRequest {
  readonly measure: string
  readonly description: string
  readonly reward: {
    readonly kind: "reward" | "punishment"
    readonly name: string
    readonly when: string
    readonly per: "task" | "occurrence"
  }
  readonly task: {
    readonly id: string
    readonly goal: string
    readonly agent: string
    readonly outcome: string | null
  }
  /** The task's events; of too many, the first and the last ones. */
  readonly evidence: ReadonlyArray<ShownEvidence>
  readonly omitted: number
  /** Settings of the caller, such as a temperature. */
  readonly settings: JsonObject
  /** The repetition of the question, from 1, and the total. */
  readonly repeat: number
  readonly repeats: number
}

/** A model's answer. */
export const ModelAnswer = Schema.Struct({
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
  readonly answer: Json
  readonly usage: ModelUsage
  /** Default: by the table of prices. */
  readonly cost?: ModelCost
}

/** The model did not answer. Retry, or use another model. */
export class ModelFailed extends Data.TaggedError("ModelFailed")<{
  readonly provider: string
  readonly model: string
  readonly reason: string
  /** Default: `unreachable`. */
  readonly kind?: ModelFailureKind
  /** The used tokens, as far as they are known. */
  readonly usage?: ModelUsage
}> {
  override get message() {
    return `${this.provider}/${this.model} did not answer: ${this.reason}`
  }
}

/** The score set has no answer to this question. Ask the model itself. */
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
  /** Whether its answers come from a log, and are not recorded again. */
  readonly recorded: boolean
  /** Answers one question. `requestDigest` is the digest of the whole question. */
  readonly ask: (
    question: ModelRequest,
    requestDigest: string,
  ) => Effect.Effect<Response, ModelFailed | NoRecording | LogError>
}

/** A model and how to ask it. */
export interface ModelOptions {
  readonly model: Model
  /** Number of times each question is asked; the majority counts. Default: 3. */
  readonly repeats?: number
  /** Passed to the model and recorded. Default: none. */
  readonly settings?: JsonObject
}

/** Returns the value itself, not a copy. */
export const ModelKind = Options.kind<Model>(
  "a model: an object with provider, model, recorded and a function ask",
  (value) => Options.has("provider", "model", "recorded", "ask")(value),
)

export const MAX_REPEATS = 1_000

/** Schema of `ModelOptions`. */
export const ModelOptions = Options.of<ModelOptions>({
  required: { model: ModelKind },
  optional: { repeats: Options.wholeNumber(1, MAX_REPEATS), settings: JsonObject },
}).annotations({ description: "an object with the model to ask" })

/**
 * A model that is a function of the program, for tests or without a provider. Its name identifies the script and its
 * version, as in `keywords@1`; score sets tell critics apart by it. The model fails if the script returns undefined.
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
