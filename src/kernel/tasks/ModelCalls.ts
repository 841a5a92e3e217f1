import { Effect } from "effect"
import type { AppendError } from "../../events/log/EventLog.ts"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import { digest } from "../../values/Digest.ts"
import type { Json } from "../../values/Json.ts"
import type { OpenTask } from "./OpenTask.ts"

/** What an agent asks a language model. */
export interface ModelCallRequest {
  readonly provider: string
  readonly model: string
  readonly request: Json
}

/** What the model answered, and what it took. */
export interface ModelCallResponse {
  readonly response: Json
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number }
}

/** Records what was asked, asks it, and records what was answered. One that is not answered has no answer in the log. */
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
