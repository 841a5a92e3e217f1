/** Records the calls that an agent makes to language models. */

import { Data, Effect } from "effect"
import type { AppendError } from "../../events/log/EventLog.ts"
import type { ModelCost, ModelFailureKind, ModelUsage } from "../../events/vocabulary/Deciding.ts"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import { digest } from "../../values/Digest.ts"
import type { Json } from "../../values/Json.ts"
import type { OpenTask } from "./OpenTask.ts"

/** An agent's request to a language model. */
export interface ModelCallRequest {
  readonly provider: string
  readonly model: string
  /** The request, or what is new in it since the last one of this agent. It is recorded. */
  readonly request: Json
  /** Digest of the whole request. Default: that of `request`. */
  readonly requestDigest?: string
}

/** The model's response, and the tokens that it used. */
export interface ModelCallResponse {
  readonly response: Json
  readonly usage: ModelUsage
  readonly cost?: ModelCost
}

/**
 * The model did not answer, or not to the end. `Task.consult` records it, and a replay fails with it again. Retry if
 * `isTransient(kind)`; else see the reason.
 */
export class ModelCallFailed extends Data.TaggedError("ModelCallFailed")<{
  readonly provider: string
  readonly model: string
  readonly kind: ModelFailureKind
  readonly reason: string
  /** What had come of the answer. */
  readonly response?: Json
  /** The tokens that it used, as far as they are known. */
  readonly usage?: ModelUsage
  readonly cost?: ModelCost
  /** How long the provider asked to wait before the next request, in milliseconds. */
  readonly retryAfterMs?: number
}> {
  override get message() {
    return `${this.provider}/${this.model} did not answer (${this.kind}): ${this.reason}`
  }
}

const TRANSIENT: ReadonlySet<ModelFailureKind> = new Set([
  ...(["rate-limited", "overloaded", "unreachable", "timed-out", "cut-off", "unreadable", "empty"] as const),
])

/** Whether the same request may succeed later. */
export const isTransient = (kind: ModelFailureKind): boolean => TRANSIENT.has(kind)

/** Records the request, calls the model, and records its response. If the call fails, the log has no response. */
export const consult = <E>(
  task: OpenTask,
  { provider, model, request }: ModelCallRequest,
  answering: Effect.Effect<ModelCallResponse, E>,
): Effect.Effect<Json, E | AppendError> =>
  Effect.gen(function* () {
    const called = yield* task.record({
      type: "ModelCalled",
      causationId: task.openedBy,
      payload: { provider, model, requestDigest: digest(request), request },
    })
    const startedAt = performance.now()
    const { response, usage } = yield* answering
    const latencyMs = MonotonicClock.elapsedSince(startedAt)
    yield* task.record({ type: "ModelResponded", causationId: called.id, payload: { response, usage, latencyMs } })
    return response
  })
