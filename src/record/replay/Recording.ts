/** The calls and answers of a recorded run, read from its events. Pure. */

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

export type Answer =
  | { readonly kind: "response"; readonly response: RecordedResponse }
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "error"; readonly failure: Failure }
  /** Answered, but the answer could not be recorded. */
  | { readonly kind: "unrecorded"; readonly reason: string }
  | { readonly kind: "denied"; readonly rule: string; readonly reason: string }
  /** The recording ended first. */
  | { readonly kind: "none" }

export interface Interaction {
  readonly position: number
  /**
   * Calls of one line are answered from one list: `fetch`, `tool program/add`, `io load`, `sensor program/heat`, `now`,
   * `random`.
   */
  readonly line: string
  /** Calls with equal digests are equal, and answered in order. */
  readonly digest: string
  /** The event with the request or arguments. */
  readonly asked: Event
  readonly answer: Answer
  /** Position of the answer; null if there is none; `position` for a call that is a single event. */
  readonly answeredAt: number | null
  /**
   * Position of the call whose function made this one; null if the program made it. Versions before 0.3.1 did not
   * record it.
   */
  readonly within: number | null
}

export interface Recording {
  readonly taskId: string
  readonly events: ReadonlyArray<Event>
  /** In the order of the program's calls. */
  readonly calls: ReadonlyArray<Interaction>
  /** How its task was closed; undefined if it is open. */
  readonly end: { readonly position: number; readonly outcome: TaskOutcome } | undefined
}

/**
 * @param events all events of the task, in order
 * @param part the part to replay. Default: the first
 */
export const of = (events: ReadonlyArray<Event>, part: Part = Parts.of(events)[0]): Recording => {
  const isWithin = ({ position }: { readonly position: number }) => position >= part.from && position < part.before
  const closed = events.find((event) => is(event, "TaskClosed") && isWithin(event))
  return {
    taskId: events[0]?.taskId ?? "",
    events,
    // Skips calls outside the part, such as results that a later process recorded for an earlier one.
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
    // For models, this is the raw response; the read answer is a separate event.
    if (key !== undefined && answer !== undefined) answers.set(key, { answer, answeredAt: event.position })
  }
  const makers = makersOf(events)
  return events.flatMap((event) => interactionOf(event, answers, makers.get(event.id) ?? null) ?? [])
}

/** By event id: the position of the call whose function caused the event. */
const makersOf = (events: ReadonlyArray<Event>): ReadonlyMap<string, number> => {
  /** The position of the call that an event begins or dispatches. */
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
    // Later events of a call have the call's own maker.
    const made = command === undefined || command === position ? maker : undefined
    if (made !== undefined) makers.set(id, made)
  }
  return makers
}

/** Events of a command up to its dispatch. */
const OF_CALL: ReadonlySet<string> = new Set<CoreName>(["ActuatorCommanded", "CommandAllowed", "CommandDispatched"])

type Answered = Pick<Interaction, "answer" | "answeredAt">

const UNANSWERED: Answered = { answer: { kind: "none" }, answeredAt: null }

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
  const told = (line: string, answer: Answer) => found(line, "", { answer, answeredAt: event.position })
  if (is(event, "ModelCalled")) {
    const { batch, observed, requestDigest } = event.payload
    // For a batch, the program requested only the file; an observed call did not pass here.
    return batch === undefined && observed === undefined ? found("fetch", requestDigest) : undefined
  }
  if (is(event, "IoCalled")) {
    const { io, requestDigest } = event.payload
    return found(io === "fetch" ? "fetch" : `io ${io}`, requestDigest)
  }
  if (is(event, "ActuatorCommanded")) {
    // The program did not call it through the run.
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
