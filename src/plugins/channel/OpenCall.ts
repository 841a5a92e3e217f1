/** The state of a call that a plugin is working on, as the code that serves its requests needs it. */
import type { Effect, Fiber } from "effect"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import type { JsonObject } from "../../values/Json.ts"
import type * as CallProgress from "./CallProgress.ts"

/** A call that is not answered yet. */
export interface OpenCall {
  /** What was called, such as `act text-room/go`. */
  readonly name: string
  /** The id of the event that caused the call. */
  readonly causationId: string | undefined
  /** The task that the call serves. */
  readonly taskId: string | undefined
  /** Receives the progress reports of the call. */
  readonly onProgress: CallProgress.OnProgress | undefined
  /** Reads the events of the judged task. Set only if the call judges a task. */
  readonly readPage: ReadPage | undefined
  /** The fibers that do host work for the call; see `interruptWithCall`. Undefined until there is one. */
  hostFibers: Set<Fiber.RuntimeFiber<unknown>> | undefined
  /**
   * Pauses the time-out of the call while a person decides about a request. Returns how to resume it, to be called
   * once.
   */
  readonly pauseTimeout: () => () => void
}

/** A chunk of a task's events, in order. */
export interface Page {
  readonly events: ReadonlyArray<JsonObject>
  /** Whether there are more events after this chunk. */
  readonly more: boolean
}

/** Reads the chunk of events after a position. */
export type ReadPage = (after: number) => Effect.Effect<Page, Failure>
