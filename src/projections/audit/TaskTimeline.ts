import { Schema } from "effect"
import { EpochMs, type Event, Position } from "../../events/vocabulary/Event.ts"
import { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import type { Projection } from "../fold/Projection.ts"

/** From when to when a task ran, and how it ended. */
export const TaskTimeline = Schema.Struct({
  goal: Schema.String,
  agent: Schema.String,
  timeline: Schema.String,
  outcome: Schema.NullOr(TaskOutcome).annotations({ description: "null while the task is open" }),
  reason: Schema.optionalWith(Schema.String, { exact: true }),
  range: Schema.Struct({ from: Position, to: Position }).annotations({
    description: "Positions of its opening and its closing; while it is open, of its last event so far",
  }),
  openedAt: EpochMs,
  closedAt: Schema.NullOr(EpochMs).annotations({ description: "null while the task is open; ms since 1970-01-01Z" }),
  durationMs: Schema.NullOr(Schema.Finite).annotations({
    description: "closedAt − openedAt, ms; null while it is open",
  }),
  steps: Schema.NonNegativeInt.annotations({ description: "Commands requested" }),
})

type Course = typeof TaskTimeline.Type

/** The course of the task whose events these are; null before it is opened. */
export const projection: Projection<Course | null> = {
  name: "TaskAudit.Course",
  version: 1,
  state: Schema.NullOr(TaskTimeline),
  initial: null,
  evolve: (course, event) => (course === null ? opened(event) : proceed(course, event)),
}

const opened = (event: Event): Course | null => {
  if (!is(event, "TaskOpened")) return null
  const { position, recordedAt, timeline } = event
  return {
    goal: event.payload.goal,
    agent: event.payload.agent,
    timeline,
    outcome: null,
    range: { from: position, to: position },
    openedAt: recordedAt,
    closedAt: null,
    durationMs: null,
    steps: 0,
  }
}

/** From a fork on it is told of that timeline, and of who works on what there. */
const forked = (course: Course, { timeline, payload: { overrides } }: Event & ForkedEvent): Course => ({
  ...course,
  timeline,
  agent: typeof overrides.agent === "string" ? overrides.agent : course.agent,
  goal: typeof overrides.goal === "string" ? overrides.goal : course.goal,
})

type ForkedEvent = { readonly payload: PayloadOf<"TimelineForked"> }

/** What comes after the close (scores, notes) is about the task, not part of it. */
const proceed = (course: Course, event: Event): Course => {
  if (course.outcome !== null) return course
  if (is(event, "TimelineForked")) return forked(course, event)
  const range = { from: course.range.from, to: event.position }
  if (!is(event, "TaskClosed")) {
    return { ...course, range, steps: is(event, "ActuatorCommanded") ? course.steps + 1 : course.steps }
  }
  const { outcome, reason } = event.payload
  const closedAt = event.recordedAt
  const closed: Course = { ...course, range, outcome, closedAt, durationMs: closedAt - course.openedAt }
  return reason === undefined ? closed : { ...closed, reason }
}
