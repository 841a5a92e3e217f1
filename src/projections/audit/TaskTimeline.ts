/** The head of a task's audit: goal, agent, outcome, and the range of positions and times. */

import { Schema } from "effect"
import { EpochMs, type Event, Position } from "../../events/vocabulary/Event.ts"
import { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import { is, isStep, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import type { Projection } from "../fold/Projection.ts"

/** When a task ran, and how it ended. */
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
  steps: Schema.NonNegativeInt.annotations({ description: "Commands that its agents requested" }),
})

type Section = typeof TaskTimeline.Type

/** The course of one task, from its events; null before the task is opened. */
export const projection: Projection<Section | null> = {
  name: "TaskAudit.Course",
  version: 2,
  state: Schema.NullOr(TaskTimeline),
  initial: null,
  evolve: (section, event) => (section === null ? opened(event) : advance(section, event)),
}

const opened = (event: Event): Section | null => {
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

/** After a fork, the audit is about the fork's timeline, with the agent and goal that the fork overrides. */
const forked = (section: Section, { timeline, payload: { overrides } }: Event & ForkedEvent): Section => ({
  ...section,
  timeline,
  agent: typeof overrides.agent === "string" ? overrides.agent : section.agent,
  goal: typeof overrides.goal === "string" ? overrides.goal : section.goal,
})

type ForkedEvent = { readonly payload: PayloadOf<"TimelineForked"> }

/** Events after the close (scores, notes) are about the task and do not change it. */
const advance = (section: Section, event: Event): Section => {
  if (section.outcome !== null) return section
  if (is(event, "TimelineForked")) return forked(section, event)
  const range = { from: section.range.from, to: event.position }
  if (!is(event, "TaskClosed")) {
    return { ...section, range, steps: isStep(event) ? section.steps + 1 : section.steps }
  }
  const { outcome, reason } = event.payload
  const closedAt = event.recordedAt
  const closed: Section = { ...section, range, outcome, closedAt, durationMs: closedAt - section.openedAt }
  return reason === undefined ? closed : { ...closed, reason }
}
