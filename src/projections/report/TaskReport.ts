import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { type Score, sharesOf } from "../audit/Scores.ts"
import * as Sum from "../audit/Sum.ts"
import type { TaskAudit } from "../audit/TaskAudit.ts"
import { isLate } from "../state/ConfirmationAnswer.ts"
import { Readings, type Trace } from "./Readings.ts"

/** What an event is to a task: something it took in, chose, did, asked a person, or changed. */
export type ComponentLane = "sensed" | "decided" | "acted" | "asked" | "changed"

/** How something ended that has an end. */
export type CommandEnding =
  | "succeeded"
  | "failed"
  | "denied"
  | "expired"
  | "unknown"
  | "approved"
  | "rejected"
  | "withdrawn"

/** Something that happened in a task, from one of its events to another or at one alone; they are numbered from 0. */
export interface Mark {
  readonly from: number
  readonly to: number
  /** null where it has not ended, or has no end. */
  readonly ending: CommandEnding | null
}

/** A question to a person. */
export interface ConfirmationMark {
  readonly position: number
  readonly actuator: string
  readonly ending: CommandEnding | null
  readonly by: string | null
  readonly waitedMs: number | null
}

/** An event in a list. */
export interface ListedEvent {
  readonly position: number
  readonly type: string
  readonly actor: string
  /** Since the task's opening, in ms. */
  readonly elapsedMs: number
  readonly text: string
}

/** What one of a score's amounts is due to: an event that it cites, and its share of the amount, below zero for punishments. */
export interface EventLink {
  readonly position: number
  readonly index: number
  readonly name: string
  readonly amount: number
}

/** All that a report of one task shows. */
export interface TaskReport {
  readonly audit: TaskAudit
  readonly score: Score | null
  /** Positions of the task's events, from its opening to its close. */
  readonly positions: ReadonlyArray<number>
  /** How long after the opening each of them was recorded, in ms. */
  readonly elapsedMs: ReadonlyArray<number>
  readonly lanes: { readonly [lane in ComponentLane]: ReadonlyArray<Mark> }
  readonly questions: ReadonlyArray<ConfirmationMark>
  /** In the order of their positions. */
  readonly evidence: ReadonlyArray<EventLink>
  readonly traces: ReadonlyArray<Trace>
  /** Traces that were too many to keep. */
  readonly tracesLeftOut: number
  /** The first and the last events, and those that the score cites, in order. */
  readonly listed: ReadonlyArray<ListedEvent>
}

/** A report in the making: it is given the task's own events in order. */
export interface TaskReportBuilder {
  readonly take: (event: Event) => void
  readonly report: () => TaskReport
}

/** Events that are listed: the first, the last, and those that are cited. */
const FIRST = 250
const LAST = 100
const CITED = 250

/** Begins the report of an audited task. `summarize` says in few words what an event says. */
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
  const asked = new Map<string, AskedMark>()
  const questions: Array<ConfirmationMark> = []
  const readings = new Readings()
  const cited = new Set(citedBy(score).slice(0, CITED))
  const first: Array<ListedEvent> = []
  const last: Array<ListedEvent> = []
  let closed = false

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
    // The first ending counts, but an unknown outcome may still become known.
    if (mark === undefined || before === undefined || (before.ending !== null && before.ending !== "unknown")) return
    lanes[lane][mark] = { ...before, to: index, ending }
  }
  const answer = (
    confirmationId: string,
    index: number,
    ending: CommandEnding,
    by: string | null,
    waitedMs: number | null,
  ) => {
    const known = asked.get(confirmationId)
    end("asked", known?.mark, index, ending)
    const before = known === undefined ? undefined : questions[known.question]
    if (known !== undefined && before?.ending === null) questions[known.question] = { ...before, ending, by, waitedMs }
  }
  const note = (event: Event, index: number) => {
    if (is(event, "SensorRead")) {
      mark("sensed", index)
      readings.take(event.payload.sensor, index, event.payload.reading)
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
      asked.set(confirmationId, { mark: mark("asked", index), question, requestedAt: event.recordedAt, expiresAt })
    } else if (is(event, "ConfirmationDecided")) {
      const { confirmationId, approved, by, waitedMs } = event.payload
      const known = asked.get(confirmationId)
      const late = approved && known !== undefined && isLate(known, event.recordedAt)
      if (!late) answer(confirmationId, index, approved ? "approved" : "rejected", by, waitedMs)
    } else if (is(event, "ConfirmationExpired")) answer(event.payload.confirmationId, index, "expired", null, null)
    else if (is(event, "ConfirmationWithdrawn")) answer(event.payload.confirmationId, index, "withdrawn", null, null)
    const ending = ENDINGS[event.type]
    if (ending !== undefined) end("acted", commands.get(String(event.payload.commandId))?.mark, index, ending)
  }
  return {
    take: (event) => {
      if (closed) return
      const index = positions.push(event.position) - 1
      const elapsed = Math.max(0, event.recordedAt - audit.openedAt)
      elapsedMs.push(elapsed)
      list(event, elapsed)
      note(event, index)
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

/** Each amount in equal shares at the events that it cites; what cites nothing is given at the end. */
const evidenceOf = (score: Score | null, positions: ReadonlyArray<number>): ReadonlyArray<EventLink> => {
  const last = positions.at(-1) ?? 0
  return (score === null ? [] : sharesOf(score))
    .map(({ name, amount, position }) => ({ name, amount: Sum.round(amount), position: position ?? last }))
    .map((share) => ({ ...share, index: indexOf(positions, share.position) }))
    .sort((a, b) => a.position - b.position)
}

/** The number of the last event up to a position. */
const indexOf = (positions: ReadonlyArray<number>, position: number): number => {
  let [low, high] = [0, positions.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((positions[middle] ?? 0) <= position) low = middle
    else high = middle - 1
  }
  return low
}

/** A question: its mark, its place in the list of questions, and its times. */
interface AskedMark {
  readonly mark: number
  readonly question: number
  readonly requestedAt: number
  readonly expiresAt: number
}
