/** Records how one request to a language model ended: once, whatever comes first. */

import { Effect } from "effect"
import type { AppendError, CoreNewEvent } from "../../../events/log/EventLog.ts"
import type { Event } from "../../../events/vocabulary/Event.ts"
import * as MonotonicClock from "../../../platform/MonotonicClock.ts"
import * as ProgramLog from "../../../platform/ProgramLog.ts"
import { defined } from "../../../values/defined.ts"
import { plainText } from "../../../values/Json.ts"
import type { OpenTask } from "../OpenTask.ts"
import type { ModelCallFailed, ModelCallResponse } from "./ModelCall.ts"

export type FailedCall = Pick<
  ModelCallFailed,
  "kind" | "reason" | "response" | "usage" | "cost" | "retryAfterMs" | "retryInMs" | "fallbackTo"
>

/** The parts of a cancelled answer, as far as they are known. */
export type PartialAnswer = Pick<ModelCallFailed, "response" | "usage" | "cost">

/** The end of a request whose `ModelCalled` event is in the log. */
export interface CallEnd {
  readonly called: Event
  readonly partial: Effect.Effect<PartialAnswer>
  readonly isRecorded: () => boolean
  readonly responded: (response: ModelCallResponse) => Effect.Effect<void, AppendError>
  readonly failed: (failed: FailedCall) => Effect.Effect<void, AppendError>
  /** Records the cancellation, with what had come. An error of the log is logged. */
  readonly cancelled: (reason: string) => Effect.Effect<void>
}

/** @param soon whether the next event's commit brings the answer (`OpenTask.recordSoon`). Default: false */
export const of = (
  task: Pick<OpenTask, "record" | "recordSoon">,
  called: Event,
  partial: Effect.Effect<PartialAnswer>,
  soon = false,
): CallEnd => {
  const startedAt = performance.now()
  let isRecorded = false
  const latency = () => ({ latencyMs: MonotonicClock.elapsedSince(startedAt) })

  const recordFailed = ({ kind, reason, response, usage, cost, retryAfterMs, ...next }: FailedCall) =>
    task.record({
      type: "ModelFailed",
      causationId: called.id,
      payload: {
        kind,
        reason: plainText(reason),
        ...latency(),
        ...defined({ response, usage, cost, retryAfterMs, ...next }),
      },
    })

  // If the partial answer is too large for an event or not JSON, records the failure without it; failing that,
  // without its tokens. `[]` shows that something came: a call of unknown use is not one that used nothing.
  const failed = (failure: FailedCall) =>
    Effect.suspend(() => {
      if (isRecorded) return Effect.void
      const { kind, reason, response, usage, cost, retryInMs, fallbackTo } = failure
      const least: FailedCall = {
        kind,
        reason,
        ...(response === undefined && usage === undefined && cost === undefined ? {} : { response: [] }),
        ...defined({ retryInMs, fallbackTo }),
      }
      const metered: FailedCall = { ...least, ...defined({ usage, cost }) }
      return recordFailed(failure).pipe(
        Effect.catchTag("InvalidEvent", () => recordFailed(metered)),
        Effect.catchTag("InvalidEvent", () => recordFailed(least)),
        Effect.map(() => {
          isRecorded = true
        }),
      )
    })

  return {
    called,
    partial,
    isRecorded: () => isRecorded,
    responded: ({ response, usage, cost }) => {
      const event: CoreNewEvent = {
        type: "ModelResponded",
        causationId: called.id,
        payload: { response, usage, ...latency(), ...defined({ cost }) },
      }
      const recorded: Effect.Effect<unknown, AppendError> = soon ? task.recordSoon(event) : task.record(event)
      return Effect.map(recorded, () => {
        isRecorded = true
      })
    },
    failed,
    cancelled: (reason) =>
      Effect.flatMap(partial, (known) => failed({ kind: "cancelled", reason, ...known })).pipe(
        // A suspended task asks again when it resumes.
        Effect.catchTag("LeaseLost", (lost) => (lost.suspended === undefined ? lost : Effect.void)),
        Effect.catchAllCause((cause) => ProgramLog.error("a cancelled model call was not recorded", cause)),
      ),
  }
}
