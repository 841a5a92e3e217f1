/** Explains how a task ended: what cost points, which events may be the cause, and what changed since. */

import { Effect } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as Scores from "../audit/Scores.ts"
import * as TaskAudit from "../audit/TaskAudit.ts"
import { type Cause, type Difference, TimeTravel } from "../timetravel/TimeTravel.ts"
import * as Course from "./Course.ts"
import * as Flow from "./Flow.ts"
import * as Suspects from "./Suspects.ts"

export interface Explanation {
  readonly audit: TaskAudit.TaskAudit
  /** Points that the latest scoring took, earliest event first. */
  readonly lost: ReadonlyArray<Scores.Share>
  /** Likeliest first. */
  readonly suspects: ReadonlyArray<Suspects.Suspect>
  /** The event that the failure shows at, and its causes. */
  readonly chain: ReadonlyArray<Cause>
  /** The position before the earliest likely suspect or lost point. */
  readonly lastGood: number
  /** Differences of the task's environment and the shared one since then. */
  readonly changes: ReadonlyArray<Difference>
  /** The task has more events than were examined: the ones before this position were not. */
  readonly examinedFrom: number
}

/** Maximum number of events of one task that are examined: its last ones. */
const MAX_EVENTS = 4_000

/** Maximum number of other tasks' events in the same time that are examined. */
const MAX_OTHERS = 2_000

export const load = (taskId: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const travel = yield* TimeTravel
    const audit = yield* TaskAudit.load(taskId)
    const { events, isWhole } = yield* lastEvents(log, audit)
    const others = yield* othersOf(log, audit)
    const own = Course.of(events)
    const course = { ...own, steps: [...own.steps, ...Course.of(others).steps].sort((a, b) => a.at - b.at) }
    const lost = lostIn(audit)
    const symptoms = symptomsOf(own, lost)
    const known = new Set(events.map(({ position }) => position))
    const suspects = Suspects.of(course, Flow.of(course, symptoms)).filter(({ at }) => known.has(at))
    const shown = lost.find(({ position }) => position !== null)?.position ?? symptoms[0] ?? audit.range.to
    const chain = yield* travel.why(`${audit.timeline}@${shown}`)
    const firstBad = Math.min(shown, ...suspects.slice(0, 3).map(({ at }) => at))
    const lastGood = Math.max(0, firstBad - 1)
    const all = yield* travel.diff(`${audit.timeline}@${lastGood}`, `${audit.timeline}@${audit.range.to}`)
    const changes = all.filter(
      ({ path }) => path.startsWith(`/tasks/${taskId}/environment`) || path.startsWith("/shared/environment"),
    )
    const examinedFrom = isWhole ? audit.range.from : (events[0]?.position ?? audit.range.from)
    return { audit, lost, suspects, chain, lastGood, changes, examinedFrom } satisfies Explanation
  })

/** The task's events up to its close. What follows are scores and notes, which no agent could know. */
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

/** The commands of other tasks while this one was open: they may have changed what it had read. */
const othersOf = (log: EventLog.Service, { taskId, range }: TaskAudit.TaskAudit) =>
  Effect.map(
    log.readPage(
      {
        timeline: log.timeline,
        types: ["ActuatorCommanded", "CommandSucceeded"],
        after: range.from,
        until: range.to,
      },
      MAX_OTHERS,
    ),
    (events) => events.filter((event) => event.taskId !== taskId),
  )

/** Lost points of the latest finished scoring. */
const lostIn = ({ scores }: TaskAudit.TaskAudit): ReadonlyArray<Scores.Share> => {
  const latest = scores.findLast(({ finished }) => finished)
  if (latest === undefined) return []
  return Scores.sharesOf(latest)
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
