/** An unanswered call, as the code that serves its requests sees it. */
import type { Effect, Fiber } from "effect"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import type { JsonObject } from "../../values/Json.ts"
import type * as CallProgress from "./CallProgress.ts"

/** A call without an answer. */
export interface OpenCall {
  /** Such as `act text-room/go`. */
  readonly name: string
  /** The event that caused the call. */
  readonly causationId: string | undefined
  readonly taskId: string | undefined
  /** Receives the call's progress reports. */
  readonly onProgress: CallProgress.OnProgress | undefined
  /** Reads the events of the judged task, in calls that judge one. */
  readonly readPage: ReadBatch | undefined
  /** Fibers that work for the call; see `interruptWithCall`. */
  hostFibers: Set<Fiber.RuntimeFiber<unknown>> | undefined
  /** Pauses the time-out while a person decides about a request. Call the returned function once, to resume it. */
  readonly pauseTimeout: () => () => void
}

/** A batch of a task's events, in order. */
export interface EventBatch {
  readonly events: ReadonlyArray<JsonObject>
  /** Whether events follow. */
  readonly more: boolean
}

/** Reads the batch after a position. */
export type ReadBatch = (after: number) => Effect.Effect<EventBatch, Failure>
