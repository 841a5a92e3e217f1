/** A call that a plugin is working on, as those see it who serve its requests meanwhile. */
import type { Effect, Fiber } from "effect"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import type { JsonObject } from "../../values/Json.ts"
import type * as CallProgress from "./CallProgress.ts"

/** A call that has no answer yet. */
export interface OpenCall {
  /** What was called, such as `act text-room/go`. */
  readonly name: string
  /** The event that made it happen. */
  readonly causationId: string | undefined
  /** The task that it serves. */
  readonly taskId: string | undefined
  /** Is told how far it has come. */
  readonly onProgress: CallProgress.OnProgress | undefined
  /** Reads the events of the task that it judges, where it judges one. */
  readonly readPage: ReadPage | undefined
  /** What the host does for it, where it does anything: see `serve`. */
  brokered: Set<Fiber.RuntimeFiber<unknown>> | undefined
  /** Has its time stand still until what it answers is called, once: while a person is asked about what the host is to do. */
  readonly hold: () => () => void
}

/** Some of a task's events, in order. */
export interface Page {
  readonly events: ReadonlyArray<JsonObject>
  /** Whether more come after them. */
  readonly more: boolean
}

/** Reads the page of events that comes after a position. */
export type ReadPage = (after: number) => Effect.Effect<Page, Failure>
