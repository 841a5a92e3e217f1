/** What a recorded run called and was answered. Pure. */

import { Schema } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import { type CoreName, is } from "../../events/vocabulary/Vocabulary.ts"
import type { Json } from "../../values/Json.ts"
import { RecordedResponse } from "../http/HttpMessage.ts"
import * as Unrecorded from "../Unrecorded.ts"
import type { Part } from "./Parts.ts"
import * as Parts from "./Parts.ts"

/** What was recorded for a call. */
export type Answer =
  | { readonly kind: "response"; readonly response: RecordedResponse }
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "error"; readonly failure: Failure }
  /** It was answered, and the answer was not recorded. */
  | { readonly kind: "unrecorded"; readonly reason: string }
  /** A tool that was not called. */
  | { readonly kind: "denied"; readonly rule: string; readonly reason: string }
  /** The recording ended before there was an answer. */
  | { readonly kind: "none" }

/** A call of the recorded program. */
export interface Interaction {
  /** The position of the event that it began with. */
  readonly position: number
  /** Calls of one line are answered from one list: `fetch`, `tool add`, `io load`, `sensor heat`, `now`, `random`. */
  readonly line: string
  /** Calls with one digest are alike, and answered in order. */
  readonly digest: string
  /** The event that says what was asked. */
  readonly asked: Event
  readonly answer: Answer
  /** The position of the answer; null if there is none. It is `position` for a call of which only the answer is recorded. */
  readonly answeredAt: number | null
  /** The position of the call whose function made this one; null if the program itself did. Versions before 0.3.1 recorded none. */
  readonly within: number | null
}

/** A recorded run. */
export interface Recording {
  readonly taskId: string
  readonly events: ReadonlyArray<Event>
  /** Its calls, in the order in which the program made them. */
  readonly calls: ReadonlyArray<Interaction>
  /** How its task was closed; undefined if it is open. */
  readonly end: { readonly position: number; readonly outcome: TaskOutcome } | undefined
}

/**
 * @param events all of the task, in order
 * @param part the part of them that a program makes again. Default: the whole
 */
export const of = (events: ReadonlyArray<Event>, part: Part = Parts.of(events)[0]): Recording => {
  const isWithin = ({ position }: { readonly position: number }) => position >= part.from && position < part.before
  const closed = events.find((event) => is(event, "TaskClosed") && isWithin(event))
  return {
    taskId: events[0]?.taskId ?? "",
    events,
    // What a later process answered for an earlier one, such as an observed result, is no call.
    calls: callsIn(events).filter(isWithin),
    end:
      closed !== undefined && is(closed, "TaskClosed")
        ? { position: closed.position, outcome: closed.payload.outcome }
        : undefined,
  }
}

const callsIn = (events: ReadonlyArray<Event>): ReadonlyArray<Interaction> => {
  const answers = new Map<string, Answered>()
  for (const event of events) {
    const [key, answer] = answerIn(event) ?? []
    // Of a request to a model the response is told beside what was read of it.
    if (key !== undefined && answer !== undefined) answers.set(key, { answer, answeredAt: event.position })
  }
  const makers = makersOf(events)
  return events.flatMap((event) => interactionOf(event, answers, makers.get(event.id) ?? null) ?? [])
}

/** By the ids of events: the position of the call whose function they came of. */
const makersOf = (events: ReadonlyArray<Event>): ReadonlyMap<string, number> => {
  /** The position of the call that an event is a part of: of its beginning, or of what leads to its dispatch. */
  const callOf = new Map<string, number>()
  const commands = new Map<string, number>()
  const makers = new Map<string, number>()
  for (const event of events) {
    const { id, position, causationId } = event
    const maker = callOf.get(causationId ?? "") ?? makers.get(causationId ?? "")
    if (is(event, "ActuatorCommanded") && event.payload.observed !== true)
      commands.set(event.payload.commandId, position)
    const command = OF_CALL.has(event.type) ? commands.get(String(event.payload.commandId)) : undefined
    if (command !== undefined) callOf.set(id, command)
    if (is(event, "IoCalled") && event.payload.io !== "fetch") callOf.set(id, position)
    // A part of a call came of what made the call.
    const made = command === undefined || command === position ? maker : undefined
    if (made !== undefined) makers.set(id, made)
  }
  return makers
}

/** The events of a command up to the call of its function. */
const OF_CALL: ReadonlySet<string> = new Set<CoreName>(["ActuatorCommanded", "CommandAllowed", "CommandDispatched"])

/** An answer, and where it is. */
type Answered = Pick<Interaction, "answer" | "answeredAt">

const UNANSWERED: Answered = { answer: { kind: "none" }, answeredAt: null }

/** The answer in an event, and what it answers: the id of an event, or of a command. */
const answerIn = (event: Event): readonly [string, Answer] | undefined => {
  const cause = event.causationId ?? ""
  if (is(event, "IoAnswered")) {
    const { io, result } = event.payload
    return [cause, io === "fetch" ? responseOf(result) : resultOf(event.payload)]
  }
  if (is(event, "IoFailed")) return [cause, errorOf(event.payload.error)]
  if (is(event, "CommandSucceeded")) return [event.payload.commandId, resultOf(event.payload)]
  if (is(event, "CommandFailed")) return [event.payload.commandId, errorOf(event.payload.error)]
  if (is(event, "CommandDenied")) return [event.payload.commandId, { kind: "denied", ...event.payload }]
  return undefined
}

const isResponse = Schema.is(RecordedResponse)

const responseOf = (result: Json): Answer =>
  isResponse(result) ? { kind: "response", response: result } : { kind: "none" }

const errorOf = (failure: Failure): Answer =>
  failure.code === Unrecorded.CODE ? { kind: "unrecorded", reason: failure.message } : { kind: "error", failure }

const resultOf = ({
  result,
  unrecorded,
}: {
  readonly result: Json
  readonly unrecorded?: { readonly reason: string }
}): Answer =>
  unrecorded === undefined ? { kind: "value", value: result } : { kind: "unrecorded", reason: unrecorded.reason }

const interactionOf = (
  event: Event,
  answers: ReadonlyMap<string, Answered>,
  within: number | null,
): Interaction | undefined => {
  const found = (line: string, of: string, answered = answers.get(event.id) ?? UNANSWERED): Interaction => ({
    position: event.position,
    line,
    digest: of,
    asked: event,
    ...answered,
    within,
  })
  /** An event that is its own answer. */
  const told = (line: string, answer: Answer) => found(line, "", { answer, answeredAt: event.position })
  if (is(event, "ModelCalled")) {
    // Of a batch the program asked for the file alone.
    return event.payload.batch === undefined ? found("fetch", event.payload.requestDigest) : undefined
  }
  if (is(event, "IoCalled")) {
    const { io, requestDigest } = event.payload
    return found(io === "fetch" ? "fetch" : `io ${io}`, requestDigest)
  }
  if (is(event, "ActuatorCommanded")) {
    // The program did not call it by the run.
    if (event.payload.observed === true) return undefined
    const { actuator, argsDigest, commandId } = event.payload
    return found(`tool ${actuator}`, argsDigest, answers.get(commandId) ?? UNANSWERED)
  }
  if (is(event, "SensorRead")) {
    return told(`sensor ${event.payload.sensor}`, { kind: "value", value: event.payload.reading })
  }
  if (is(event, "SensorFailed")) return told(`sensor ${event.payload.sensor}`, errorOf(event.payload.error))
  if (is(event, "IoAnswered") && event.payload.io === "now") {
    return told("now", { kind: "value", value: event.payload.result })
  }
  if (is(event, "RandomDrawn")) return told("random", { kind: "value", value: event.payload.value })
  return undefined
}
