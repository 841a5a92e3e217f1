/** Records the calls that an agent makes to language models. */

import { Effect } from "effect"
import type { AppendError } from "../../events/log/EventLog.ts"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import { digest } from "../../values/Digest.ts"
import type { Json } from "../../values/Json.ts"
import type { OpenTask } from "./OpenTask.ts"

/** An agent's request to a language model. */
export interface ModelCallRequest {
  readonly provider: string
  readonly model: string
  readonly request: Json
}

/** The model's response, and the tokens that it used. */
export interface ModelCallResponse {
  readonly response: Json
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number }
}

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
