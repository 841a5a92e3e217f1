import { Data, Effect, Schema } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import { optional } from "../../events/vocabulary/EventType.ts"
import { type Json, JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"

/** One event as a model is shown it: its position, which it may cite, and what it says. */
export const ShownEvidence = Schema.Struct({
  at: Schema.Int,
  type: Schema.String,
  by: Schema.String,
  payload: JsonObject,
}).annotations({ identifier: "Shown" })

export type ShownEvidence = typeof ShownEvidence.Type

/** What a model is asked: whether one reward's condition held in one task. It is told nothing of weights. */
export interface ModelRequest {
  /** The measure's full name, and what it is about. */
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
  /** The task's events: its first and its last ones, where there are more than a model should read. */
  readonly evidence: ReadonlyArray<ShownEvidence>
  /** How many events between them were left out. */
  readonly omitted: number
  /** The asker's own, such as a temperature. */
  readonly settings: JsonObject
  /** Which time the same is asked, from 1, and how often in all. */
  readonly repeat: number
  readonly repeats: number
}

/** What a model answers. */
export const ModelAnswer = Schema.Struct({
  /** Whether the condition held. */
  verdict: Schema.Boolean,
  /** How often, where it counts each time. Default: once. */
  occurrences: optional(Schema.Positive.pipe(Schema.int())),
  /** Positions of the evidence that made it so: at least one, where it held. */
  because: Schema.Array(Schema.Int),
  rationale: Schema.String,
}).annotations({ identifier: "Answer" })

export type ModelAnswer = typeof ModelAnswer.Type

/** What came back. */
export interface Response {
  /** As the model gave it: it is checked by whoever asked. */
  readonly answer: Json
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number }
}

/** Try again, or ask another: the model did not answer. */
export class ModelFailed extends Data.TaggedError("ModelFailed")<{
  readonly provider: string
  readonly model: string
  readonly reason: string
}> {
  override get message() {
    return `${this.provider}/${this.model} did not answer: ${this.reason}`
  }
}

/** Ask the model itself: nobody has asked it this before. */
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

/** A language model that answers questions. Another implementation can ask a provider. */
export interface Model {
  readonly provider: string
  readonly model: string
  /** Whether its answers come out of a log already: then they are not recorded again. */
  readonly recorded: boolean
  /** @param requestDigest the digest of the whole question */
  readonly ask: (
    question: ModelRequest,
    requestDigest: string,
  ) => Effect.Effect<Response, ModelFailed | NoRecording | LogError>
}

/** A model to ask, and how. */
export interface Asking {
  readonly model: Model
  /** How often the same is asked: the majority counts. Default: 3. */
  readonly repeats?: number
  /** The asker's own, passed on and recorded. Default: none. */
  readonly settings?: JsonObject
}

/** A model, by its kind: it is asked as it is. */
const ModelKind = Options.kind<Model>("a model: an object with provider, model, recorded and a function ask", (value) =>
  Options.has("provider", "model", "recorded", "ask")(value),
)

/** Times that the same can be asked at most. */
const MOST_REPEATS = 1_000

/** Their schema. */
export const Asking = Options.of<Asking>({
  required: { model: ModelKind },
  optional: { repeats: Options.wholeNumber(1, MOST_REPEATS), settings: JsonObject },
}).annotations({ description: "an object with the model to ask" })

/**
 * A model that a program plays itself: for tests, and where there is none to be asked. Its name says which script it is,
 * with a version, `keywords@1`: score sets tell critics apart by it. Where the script answers undefined, it does not know.
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
          ...{ provider: SCRIPT, model: name },
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
