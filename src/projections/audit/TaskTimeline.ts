/** The head of a task's audit: goal, agent, outcome, and the range of positions and times. */

import { Schema } from "effect"
import { EpochMs, type Event, Position } from "../../events/vocabulary/Event.ts"
import { ParentTask, TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import { is, isStep, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import { defined } from "../../values/defined.ts"
import type { Projection } from "../fold/Projection.ts"
import * as LateAccount from "../state/LateAccount.ts"
import * as TaskClock from "../state/TaskClock.ts"
import { Unjudged } from "../state/Tasks.ts"

/** When a task ran, and how it ended. */
export const TaskTimeline = Schema.Struct({
  goal: Schema.String,
  agent: Schema.String,
  timeline: Schema.String,
  outcome: Schema.NullOr(TaskOutcome).annotations({ description: "null while the task is open" }),
  reason: Schema.optionalWith(Schema.String, { exact: true }),
  unjudged: Schema.optionalWith(Unjudged, { exact: true }),
  range: Schema.Struct({ from: Position, to: Position }).annotations({
    description: "Positions of the task's opening and closing, or of its last event so far while it is open",
  }),
  openedAt: EpochMs.annotations({
    description: "By the clock of the host that ran the task; for an imported task, by the clock of its source",
  }),
  closedAt: Schema.NullOr(EpochMs).annotations({ description: "null while the task is open; ms since 1970-01-01Z" }),
  durationMs: Schema.NullOr(Schema.Finite).annotations({
    description:
      "closedAt − openedAt − leftOutMs, ms; differs if the log's clock was set meanwhile; never negative; null while the task is open",
  }),
  leftOutMs: Schema.optionalWith(Schema.Finite, { exact: true }).annotations({
    description:
      "Time between recording and forking, and between a kernel's end and the task's resumption, ms; absent if the task was neither forked nor resumed",
  }),
  steps: Schema.NonNegativeInt.annotations({ description: "Commands that its agents requested" }),
  parent: Schema.optionalWith(ParentTask, { exact: true }).annotations({
    description: "The task that started it, and through which command; absent if its opening names none",
  }),
  waits: Schema.optionalWith(Schema.String, { exact: true }).annotations({
    description: "What the log still lacks of an imported task; absent if nothing is missing",
  }),
})

const State = Schema.Struct({ ...TaskTimeline.fields, clock: TaskClock.TaskClock })

type State = typeof State.Type

export const section = ({ clock: _, ...course }: State): typeof TaskTimeline.Type => course

/** The fold of one task's events; null before the task is opened. */
export const projection: Projection<State | null> = {
  name: "TaskAudit.Course",
  version: 9,
  state: Schema.NullOr(State),
  initial: null,
  evolve: (section, event) => (section === null ? opened(event) : advance(section, event)),
}

const opened = (event: Event): State | null => {
  if (!is(event, "TaskOpened")) return null
  const { position, occurredAt, timeline } = event
  return {
    goal: event.payload.goal,
    agent: event.payload.agent,
    timeline,
    outcome: null,
    range: { from: position, to: position },
    openedAt: occurredAt,
    closedAt: null,
    durationMs: null,
    steps: 0,
    ...defined({ parent: event.payload.parent }),
    clock: TaskClock.start(event),
  }
}

/** After a fork, the audit describes the fork's timeline, with the overridden agent and goal. */
const forked = (section: State, { timeline, payload: { overrides } }: Event & ForkedEvent): State => ({
  ...section,
  timeline,
  agent: typeof overrides.agent === "string" ? overrides.agent : section.agent,
  goal: typeof overrides.goal === "string" ? overrides.goal : section.goal,
})

type ForkedEvent = { readonly payload: PayloadOf<"TimelineForked"> }

/** Updates an open task. Of the events after the close, only another account's steps change it. */
const advance = (all: State, event: Event): State => {
  if (all.outcome !== null) return LateAccount.tells(event) && isStep(event) ? { ...all, steps: all.steps + 1 } : all
  const { waits: _, ...whole } = all
  const before: State =
    is(event, "SourceStated") && event.payload.waits !== undefined
      ? { ...whole, waits: event.payload.waits }
      : all.waits === undefined
        ? all
        : whole
  const clock = TaskClock.after(before.clock, event)
  const section = clock.leftOutMs === 0 ? { ...before, clock } : { ...before, clock, leftOutMs: clock.leftOutMs }
  if (is(event, "TimelineForked")) return forked(section, event)
  const range = { from: section.range.from, to: event.position }
  if (!is(event, "TaskClosed")) {
    return { ...section, range, steps: isStep(event) ? section.steps + 1 : section.steps }
  }
  const { outcome, reason, unjudged } = event.payload
  const closedAt = event.occurredAt
  return { ...section, range, outcome, closedAt, durationMs: clock.elapsedMs, ...defined({ reason, unjudged }) }
}
