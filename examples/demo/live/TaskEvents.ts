/** The events of the story's task: those that tell what happened, and what must not have happened. */
import { Effect, Option, Schema } from "effect"
import { Agent, type Event, EventLog, Vocabulary } from "hindcast"
import type { Pages, Stage } from "../Stage.ts"
import { at } from "../Words.ts"

/** The types of events that the demo prints. */
const TOLD = new Set([
  ...["TaskOpened", "ModelResponded", "ModelFailed", "CommandSucceeded", "CommandFailed"],
  ...["CommandDenied", "ConfirmationRequested", "ConfirmationDecided", "TaskResumed", "TaskClosed"],
])

/** Most events of a task that are read. */
const MOST = 10_000

/** The events of a task after a position, on one timeline. */
export const of = (taskId: string, after = 0, timeline: string = EventLog.MAIN) =>
  Effect.flatMap(EventLog.EventLog, (log) => log.readPage({ taskId, timeline, after }, MOST))

/** A line for each event that tells what happened. */
export const lines = ({ style, pages }: Stage, events: ReadonlyArray<Event>): ReadonlyArray<string> =>
  pages.rows(
    events
      .filter(({ type }) => TOLD.has(type))
      .map((event) => [style.bold(at(event.position)), event.type, pages.oneLine(wordsOf(pages, event))]),
  )

/** What a model answered is told in its words, with the tools that it calls. */
const wordsOf = ({ summary }: Pages, event: Event): string => {
  const answer = Vocabulary.is(event, "ModelResponded")
    ? Option.getOrUndefined(Schema.decodeUnknownOption(Agent.Conversation.RecordedAnswer)(event.payload.response))
    : undefined
  if (answer === undefined) return summary(event)
  const tools = Agent.Conversation.callsIn(answer).map(({ tool }) => `→ ${tool}`)
  return [Agent.Conversation.textIn(answer), ...tools].filter((part) => part !== "").join(" ")
}

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
  const dispatched = events.flatMap((event) =>
    Vocabulary.is(event, "CommandDispatched") ? [event.payload.commandId] : [],
  )
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
  const asked = events.findLast((event) => Vocabulary.is(event, "ModelCalled") && event.position < position)
  return (asked?.position ?? position) - 1
}
