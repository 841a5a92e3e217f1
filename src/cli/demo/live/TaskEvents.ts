/** The events of the story's task: those that tell what happened, and what must not have happened. */
import { Effect } from "effect"
import { EventLog, MAIN } from "../../../events/log/EventLog.ts"
import type { Event } from "../../../events/vocabulary/Event.ts"
import { is } from "../../../events/vocabulary/Vocabulary.ts"

/** The types of events that the demo prints. */
const TOLD = new Set([
  ...["TaskOpened", "ModelCalled", "ModelResponded", "ModelFailed", "CommandSucceeded", "CommandFailed"],
  ...["CommandDenied", "ConfirmationRequested", "ConfirmationDecided", "TaskResumed", "TaskClosed"],
])

/** Most events of a task that are read. */
const MOST = 10_000

/** The events of a task after a position, on one timeline. */
export const of = (taskId: string, after = 0, timeline: string = MAIN) =>
  Effect.flatMap(EventLog, (log) => log.readPage({ taskId, timeline, after }, MOST))

/** Those that tell what happened. */
export const told = (events: ReadonlyArray<Event>): ReadonlyArray<Event> =>
  events.filter(({ type }) => TOLD.has(type))

/** What a crash must not do, as the events show it. */
export interface Once {
  /** Requests of the model, and its answers. */
  readonly asked: number
  readonly answered: number
  /** Commands that were dispatched, and those of them that were dispatched more than once. */
  readonly dispatched: number
  readonly dispatchedTwice: number
}

/** Counts the requests and the dispatches of a task. */
export const once = (events: ReadonlyArray<Event>): Once => {
  const dispatched = events.flatMap((event) => (is(event, "CommandDispatched") ? [event.payload.commandId] : []))
  return {
    asked: events.filter(({ type }) => type === "ModelCalled").length,
    answered: events.filter(({ type }) => type === "ModelResponded").length,
    dispatched: new Set(dispatched).size,
    dispatchedTwice: dispatched.length - new Set(dispatched).size,
  }
}

/**
 * The last moment before the model was asked for the answer that led to a position: what the agent knew then is the same
 * whoever decides.
 */
export const beforeDeciding = (events: ReadonlyArray<Event>, position: number): number => {
  const asked = events.findLast((event) => is(event, "ModelCalled") && event.position < position)
  return (asked?.position ?? position) - 1
}
