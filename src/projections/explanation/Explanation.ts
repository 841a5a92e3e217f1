/** Examines how a task ended: its steps, what cost points, and which events may be the cause. */

import { Effect } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as Scores from "../audit/Scores.ts"
import * as TaskAudit from "../audit/TaskAudit.ts"
import * as SetScores from "../comparison/SetScores.ts"
import type { ScoreChoice } from "../report/ScoreChoice.ts"
import * as Course from "./Course.ts"
import * as Flow from "./Flow.ts"
import * as Suspects from "./Suspects.ts"

/** A task's events, and which of them may be why it failed. */
export interface Examined {
  readonly audit: TaskAudit.TaskAudit
  /** The examined events of the task, oldest first. */
  readonly events: ReadonlyArray<Event>
  /** The task's own steps. */
  readonly own: Course.Course
  /** Its steps and, between them, those of other tasks. */
  readonly course: Course.Course
  readonly flow: () => Flow.Flow
  /** Points that the chosen score took, earliest event first. */
  readonly lost: ReadonlyArray<Scores.Share>
  /** Likeliest first. */
  readonly suspects: () => ReadonlyArray<Suspects.Suspect>
  /** Where it shows that something went wrong, most telling first. */
  readonly symptoms: ReadonlyArray<number>
  /** The task has more events than were examined: the ones before this position were not. */
  readonly examinedFrom: number
}

/** Maximum number of events of one task that are examined: its last ones. */
const MAX_EVENTS = 4_000

/** Maximum number of other tasks' events in the same time that are examined. */
const MAX_OTHERS = 2_000

/**
 * Examines a task on the log's timeline.
 *
 * @param scores the score to explain. Default: the one that counts
 */
export const examine = (taskId: string, scores?: ScoreChoice) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const audit = yield* TaskAudit.load(taskId)
    const choice = scores ?? (yield* SetScores.choice(undefined))
    const { events, isWhole } = yield* lastEvents(log, audit)
    const others = yield* othersOf(log, audit)
    const own = Course.of(events)
    const theirs = Course.of(others).steps
    const course = { ...own, steps: [...own.steps, ...theirs].sort((a, b) => a.at - b.at) }
    const lost = lostIn(choice.pick(audit.scores))
    const symptoms = symptomsOf(own, lost)
    const known = new Set(events.map(({ position }) => position))
    // An open task, for example, needs neither.
    const flow = lazily(() => Flow.of(course, symptoms))
    const suspects = lazily(() => Suspects.of(course, flow()).filter(({ at }) => known.has(at)))
    const examinedFrom = isWhole ? audit.range.from : (events.find(isExamined)?.position ?? audit.range.from)
    return { audit, events, own, course, flow, lost, suspects, symptoms, examinedFrom } satisfies Examined
  })

/** Computes a value when it is first asked for. */
const lazily = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Whether an event is one of the last ones, rather than the opening, which was read as well. */
const isExamined = (event: Event): boolean => !is(event, "TaskOpened")

/** The task's events up to its close. Later ones are scores and notes, which no agent could know. */
const lastEvents = (log: EventLog.Service, { taskId, range }: TaskAudit.TaskAudit) =>
  Effect.gen(function* () {
    let events: ReadonlyArray<Event> = []
    let after = range.from - 1
    let isWhole = true
    for (let isDone = false; !isDone; ) {
      const page = yield* log.readPage({ timeline: log.timeline, taskId, after, until: range.to }, PAGE)
      after = page.at(-1)?.position ?? range.to
      isDone = page.length < PAGE
      const all = [...events, ...page]
      events = all.slice(-MAX_EVENTS)
      isWhole &&= events.length === all.length
    }
    const [first] = events
    if (isWhole || (first !== undefined && is(first, "TaskOpened"))) return { events, isWhole }
    // The goal is a source of values.
    const opened = yield* log.readPage({ timeline: log.timeline, taskId, types: ["TaskOpened"] }, 1)
    return { events: [...opened, ...events], isWhole }
  })

const PAGE = 1_000

/**
 * The commands of other tasks while this one was open, with their agents: they may have changed the values that it had
 * read.
 */
const othersOf = (log: EventLog.Service, { taskId, range }: TaskAudit.TaskAudit) =>
  Effect.map(
    log.readPage(
      {
        timeline: log.timeline,
        types: ["TaskOpened", "ActuatorCommanded", "CommandSucceeded"],
        after: range.from,
        until: range.to,
      },
      MAX_OTHERS,
    ),
    (events) => events.filter((event) => event.taskId !== taskId),
  )

/** The points that a score took. */
const lostIn = (score: Scores.Score | null): ReadonlyArray<Scores.Share> => {
  if (score === null) return []
  return Scores.sharesOf(score)
    .filter(({ amount }) => amount < 0)
    .sort((a, b) => (a.position ?? Number.MAX_SAFE_INTEGER) - (b.position ?? Number.MAX_SAFE_INTEGER))
}

/** Where the failure shows: lost points, else the last command that failed or was denied, and the last command. */
const symptomsOf = ({ steps }: Course.Course, lost: ReadonlyArray<Scores.Share>): ReadonlyArray<number> => {
  const positions = lost.flatMap(({ position }) => (position === null ? [] : [position]))
  const bad = steps.findLast(({ end }) => end !== null && end.kind !== "succeeded")
  const last = steps.at(-1)
  return [...positions, ...[bad, last].flatMap((step) => (step === undefined ? [] : [step.end?.at ?? step.at]))]
}
