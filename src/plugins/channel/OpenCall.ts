/** An unanswered call, as the code that serves its requests sees it. */
import type { Effect, Fiber } from "effect"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import type { JsonObject } from "../../values/Json.ts"
import type * as CallProgress from "./CallProgress.ts"
import type { PieceFrame } from "./Protocol.ts"

/** A call without an answer. */
export interface OpenCall {
  /** Such as `act text-room/go`. */
  readonly name: string
  /** The event that caused the call. */
  readonly causationId: string | undefined
  readonly taskId: string | undefined
  /** Receives the call's progress reports. */
  readonly onProgress: CallProgress.OnProgress | undefined
  /** Receives the pieces of a generated answer, in calls that generate one. */
  readonly onPiece?: ((piece: Piece) => void) | undefined
  /** Time-out of the call's network requests, in milliseconds. Default: that of the host. */
  readonly fetchMs?: number | undefined
  /** Reads the events of the judged task, in calls that judge one. */
  readonly readPage: ReadBatch | undefined
  /** Fibers that work for the call; see `interruptWithCall`. */
  hostFibers: Set<Fiber.RuntimeFiber<unknown>> | undefined
  /** Pauses the time-out while a person decides about a request. Call the returned function once, to resume it. */
  readonly pauseTimeout: () => () => void
  /** Starts the time-out again: the plugin gave a sign of its work. */
  readonly renewTimeout: () => void
}

/** A piece of a generated answer. */
export type Piece = Pick<PieceFrame, "kind" | "text">

/** A batch of a task's events, in order. */
export interface EventBatch {
  readonly events: ReadonlyArray<JsonObject>
  /** Whether events follow. */
  readonly more: boolean
}

/** Reads the batch after a position. */
export type ReadBatch = (after: number) => Effect.Effect<EventBatch, Failure>
