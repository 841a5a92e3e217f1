/** The report of one task: its events as marks in lanes, its confirmations, traces, and the evidence of its score. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as Sum from "../../values/Sum.ts"
import { type Score, sharesOf } from "../audit/Scores.ts"
import type { TaskAudit } from "../audit/TaskAudit.ts"
import { isLate } from "../state/ConfirmationAnswer.ts"
import * as TaskClock from "../state/TaskClock.ts"
import { Readings, type Trace } from "./Readings.ts"

/** The lane of an event: readings, decisions, commands, confirmations, or changes of the environment. */
export type ComponentLane = "sensed" | "decided" | "acted" | "asked" | "changed"

/** The end of a command or a confirmation. */
export type CommandEnding =
  | "succeeded"
  | "failed"
  | "denied"
  | "expired"
  | "unknown"
  | "approved"
  | "rejected"
  | "withdrawn"

/** A mark in a lane, over a range of the task's events, numbered from 0, or at a single one. */
export interface Mark {
  readonly from: number
  readonly to: number
  /** Null if it has not ended, or cannot end. */
  readonly ending: CommandEnding | null
}

/** A confirmation. */
export interface ConfirmationMark {
  readonly position: number
  readonly actuator: string
  readonly ending: CommandEnding | null
  readonly by: string | null
  readonly waitedMs: number | null
}

/** A listed event. */
export interface ListedEvent {
  readonly position: number
  readonly type: string
  readonly actor: string
  /** Since the task's opening, in ms. */
  readonly elapsedMs: number
  readonly text: string
}

/** A share of a score's amount, negative for punishments, with its event. */
export interface EventLink {
  readonly position: number
  readonly index: number
  readonly name: string
  readonly amount: number
}

/** A report of one task. */
export interface TaskReport {
  readonly audit: TaskAudit
  readonly score: Score | null
  /** Positions of the task's events, from its opening to its close. */
  readonly positions: ReadonlyArray<number>
  /** When each event was recorded, in ms since the opening. */
  readonly elapsedMs: ReadonlyArray<number>
  readonly lanes: { readonly [lane in ComponentLane]: ReadonlyArray<Mark> }
  readonly questions: ReadonlyArray<ConfirmationMark>
  /** By position. */
  readonly evidence: ReadonlyArray<EventLink>
  readonly traces: ReadonlyArray<Trace>
  /** The number of omitted traces. */
  readonly tracesLeftOut: number
  /** The first and the last events, and those that the score cites, in order. */
  readonly listed: ReadonlyArray<ListedEvent>
}

/** Builds a report: `add` takes the task's own events in order. */
export interface TaskReportBuilder {
  /** Adds the next event of the task. Ignores events after the task's end. */
  readonly add: (event: Event) => void
  /** Returns the report so far. */
  readonly report: () => TaskReport
}

/** Maximum numbers of listed events: first, last and cited ones. */
const FIRST = 250
const LAST = 100
const CITED = 250

/** Starts the report of an audited task. `summarize` describes an event in a few words. */
export const begin = (
  audit: TaskAudit,
  score: Score | null,
  summarize: (event: Event) => string,
): TaskReportBuilder => {
  const positions: Array<number> = []
  const elapsedMs: Array<number> = []
  const lanes = { sensed: [], decided: [], acted: [], asked: [], changed: [] } as {
    [lane in ComponentLane]: Array<Mark>
  }
  const commands = new Map<string, { readonly mark: number; readonly actuator: string }>()
  const pending = new Map<string, PendingMark>()
  const questions: Array<ConfirmationMark> = []
  const readings = new Readings()
  const cited = new Set(citedBy(score).slice(0, CITED))
  const first: Array<ListedEvent> = []
  const last: Array<ListedEvent> = []
  let closed = false
  let clock: TaskClock.TaskClock | undefined

  const list = (event: Event, elapsed: number) => {
    const { position, type, actor } = event
    const listed = { position, type, actor, elapsedMs: elapsed, text: summarize(event) }
    if (first.length < FIRST || cited.has(position)) first.push(listed)
    else last.push(listed)
    if (last.length > LAST) last.shift()
  }
  const mark = (lane: ComponentLane, index: number) => lanes[lane].push({ from: index, to: index, ending: null }) - 1
  const end = (lane: ComponentLane, mark: number | undefined, index: number, ending: CommandEnding) => {
    const before = mark === undefined ? undefined : lanes[lane][mark]
    // The first ending counts, but an unknown outcome can still become known.
    if (mark === undefined || before === undefined || (before.ending !== null && before.ending !== "unknown")) return
    lanes[lane][mark] = { ...before, to: index, ending }
  }
  const endConfirmation = (
    confirmationId: string,
    index: number,
    ending: CommandEnding,
    by: string | null,
    waitedMs: number | null,
  ) => {
    const known = pending.get(confirmationId)
    end("asked", known?.mark, index, ending)
    const before = known === undefined ? undefined : questions[known.question]
    if (known !== undefined && before?.ending === null) questions[known.question] = { ...before, ending, by, waitedMs }
  }
  const addMarks = (event: Event, index: number) => {
    if (is(event, "SensorRead")) {
      mark("sensed", index)
      readings.add(event.payload.sensor, index, event.payload.reading)
    } else if (is(event, "SensorFailed") || is(event, "SensorSkipped")) {
      end("sensed", mark("sensed", index), index, "failed")
    } else if (event.type === "DecisionMade" || event.type === "MessageSent" || event.type === "ModelResponded") {
      mark("decided", index)
    } else if (event.type === "EnvironmentChanged") mark("changed", index)
    else if (is(event, "ActuatorCommanded")) {
      commands.set(event.payload.commandId, { mark: mark("acted", index), actuator: event.payload.actuator })
    } else if (is(event, "ConfirmationRequested")) {
      const { commandId, shown } = event.payload
      const actuator = commands.get(String(commandId))?.actuator ?? String(shown.request ?? "")
      const question =
        questions.push({ position: event.position, actuator, ending: null, by: null, waitedMs: null }) - 1
      const { confirmationId, expiresAt } = event.payload
      pending.set(confirmationId, { mark: mark("asked", index), question, requestedAt: event.recordedAt, expiresAt })
    } else if (is(event, "ConfirmationDecided")) {
      const { confirmationId, approved, by, waitedMs } = event.payload
      const known = pending.get(confirmationId)
      const late = approved && known !== undefined && isLate(known, event.recordedAt)
      if (!late) endConfirmation(confirmationId, index, approved ? "approved" : "rejected", by, waitedMs ?? null)
    } else if (is(event, "ConfirmationExpired"))
      endConfirmation(event.payload.confirmationId, index, "expired", null, null)
    else if (is(event, "ConfirmationWithdrawn"))
      endConfirmation(event.payload.confirmationId, index, "withdrawn", null, null)
    const ending = ENDINGS[event.type]
    if (ending !== undefined) end("acted", commands.get(String(event.payload.commandId))?.mark, index, ending)
  }
  return {
    add: (event) => {
      if (closed) return
      const index = positions.push(event.position) - 1
      clock = clock === undefined ? TaskClock.start(event) : TaskClock.after(clock, event)
      const elapsed = clock.elapsedMs
      elapsedMs.push(elapsed)
      list(event, elapsed)
      addMarks(event, index)
      closed = event.type === "TaskClosed"
    },
    report: () => ({
      audit,
      score,
      positions,
      elapsedMs,
      lanes,
      questions,
      evidence: evidenceOf(score, positions),
      ...readings.traces(),
      listed: [...first, ...last].sort((a, b) => a.position - b.position),
    }),
  }
}

const ENDINGS: Readonly<Record<string, CommandEnding>> = {
  CommandSucceeded: "succeeded",
  CommandFailed: "failed",
  CommandDenied: "denied",
  CommandOutcomeUnknown: "unknown",
}

const citedBy = (score: Score | null): ReadonlyArray<number> =>
  score === null ? [] : sharesOf(score).flatMap(({ position }) => position ?? [])

/** The shares of a score by event; verdicts without evidence are at the end. */
const evidenceOf = (score: Score | null, positions: ReadonlyArray<number>): ReadonlyArray<EventLink> => {
  const last = positions.at(-1) ?? 0
  return (score === null ? [] : sharesOf(score))
    .map(({ name, amount, position }) => ({ name, amount: Sum.round(amount), position: position ?? last }))
    .map((share) => ({ ...share, index: indexOf(positions, share.position) }))
    .sort((a, b) => a.position - b.position)
}

/** The index of the last event up to a position. */
const indexOf = (positions: ReadonlyArray<number>, position: number): number => {
  let [low, high] = [0, positions.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((positions[middle] ?? 0) <= position) low = middle
    else high = middle - 1
  }
  return low
}

interface PendingMark {
  readonly mark: number
  readonly question: number
  readonly requestedAt: number
  readonly expiresAt: number
}
