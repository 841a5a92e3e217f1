/** The events of the story's task: as lines, and as counts that a crash must not change. */
import { Effect, Option, Schema } from "effect"
import { Agent, type Event, EventLog, Vocabulary } from "hindcast"
import type { Stage } from "../Stage.ts"
import { at } from "../Words.ts"
import * as Mending from "./Mending.ts"

const MAX_EVENTS = 10_000

export const of = (taskId: string, after = 0, timeline: string = EventLog.MAIN) =>
  Effect.flatMap(EventLog.EventLog, (log) => log.readPage({ taskId, timeline, after }, MAX_EVENTS))

/** A line for each notable event: its position, subject and content. */
export const lines = ({ style, pages }: Stage, events: ReadonlyArray<Event>): ReadonlyArray<string> =>
  pages.rows(
    events.flatMap((event) => {
      const told = Option.getOrUndefined(tell(event))
      return told === undefined ? [] : [[style.bold(at(event.position)), told[0], pages.oneLine(told[1])]]
    }),
  )

type Told = readonly [about: string, what: string]

const tell = (event: Event): Option.Option<Told> => {
  if (Vocabulary.is(event, "ModelResponded")) return Option.map(answerIn(event), (said) => ["agent", said])
  if (Vocabulary.is(event, "SensorRead")) return Option.map(testsIn(event), (said) => ["tests", said])
  if (Vocabulary.is(event, "ActuatorCommanded")) {
    const { actuator, args } = event.payload
    return Option.some([actuator.replace(/^program\//, ""), Mending.pathIn(args)])
  }
  if (Vocabulary.is(event, "CommandSucceeded")) return writtenIn(event)
  if (Vocabulary.is(event, "CommandDenied")) return Option.some(["gate", `denies it: ${event.payload.reason}`])
  if (Vocabulary.is(event, "CommandFailed")) return Option.some(["failed", event.payload.error.message])
  if (Vocabulary.is(event, "ModelFailed")) return Option.some(["model", `failed: ${event.payload.reason}`])
  if (Vocabulary.is(event, "ConfirmationRequested")) return Option.some(["gate", "asks a person"])
  if (Vocabulary.is(event, "ConfirmationDecided")) {
    return Option.some(["person", event.payload.approved ? "approves" : "rejects"])
  }
  if (Vocabulary.is(event, "TaskResumed")) return Option.some(["kernel", "resumes the task"])
  if (Vocabulary.is(event, "TaskClosed")) return Option.some(["task", event.payload.outcome])
  return Option.none()
}

/** A model's text without the calls, which have events of their own. */
const answerIn = ({ payload }: { readonly payload: Vocabulary.PayloadOf<"ModelResponded"> }) =>
  Schema.decodeUnknownOption(Agent.Conversation.RecordedAnswer)(payload.response).pipe(
    Option.map(Agent.Conversation.textIn),
    Option.filter((text) => text !== ""),
  )

const Tests = Schema.Struct({ passing: Schema.Number, failing: Schema.Array(Schema.String) })

const testsIn = ({ payload }: { readonly payload: Vocabulary.PayloadOf<"SensorRead"> }) =>
  Option.map(Schema.decodeUnknownOption(Tests)(payload.reading), ({ passing, failing }) =>
    [`${passing} of ${passing + failing.length} pass`, ...failing].join("; "),
  )

const Written = Schema.Struct({ path: Schema.String, bytes: Schema.Number })

const writtenIn = ({ payload }: { readonly payload: Vocabulary.PayloadOf<"CommandSucceeded"> }) =>
  Option.map(
    Schema.decodeUnknownOption(Written)(payload.result),
    ({ path, bytes }): Told => ["written", `${path}, ${bytes} bytes`],
  )

/** Counts that show whether a crash repeated anything. */
export interface Once {
  /** Model calls, and their responses. */
  readonly asked: number
  readonly answered: number
  /** Dispatched commands, and dispatches beyond the first. */
  readonly dispatched: number
  readonly dispatchedTwice: number
}

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

/** The end of the command that a question was about; undefined if it has none. */
export const endOfCommand = (events: ReadonlyArray<Event>, commandId: string) =>
  events.find(
    (event) =>
      (Vocabulary.is(event, "CommandSucceeded") ||
        Vocabulary.is(event, "CommandFailed") ||
        Vocabulary.is(event, "CommandDenied")) &&
      event.payload.commandId === commandId,
  )

/** The last moment before the model call that led to a position: any other model would know the same there. */
export const beforeDeciding = (events: ReadonlyArray<Event>, position: number): number => {
  const asked = events.findLast((event) => Vocabulary.is(event, "ModelCalled") && event.position < position)
  return (asked?.position ?? position) - 1
}
