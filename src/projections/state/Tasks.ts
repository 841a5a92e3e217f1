/** The projection of tasks: goal, agent, outcome and range of positions. */

import { Schema } from "effect"
import { EpochMs, type Event, Position } from "../../events/vocabulary/Event.ts"
import { optional } from "../../events/vocabulary/EventType.ts"
import { ParentTask, TaskBudget, TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import { is, isStep } from "../../events/vocabulary/Vocabulary.ts"
import { defined } from "../../values/defined.ts"
import type { RecordBuilder } from "../fold/RecordBuilder.ts"
import { recordProjection } from "../fold/RecordProjection.ts"
import * as ParentOf from "./environment/ParentOf.ts"
import * as LateAccount from "./LateAccount.ts"
import * as TaskModelUse from "./TaskModelUse.ts"

/** A request to pause or cancel an open task. */
const Asked = Schema.Struct({
  what: Schema.Literal("paused", "cancelled"),
  by: Schema.String,
  reason: optional(Schema.String),
})

/** Present if nobody judged a task that finished. */
export const Unjudged = Schema.Literal(true).annotations({
  description: "Nobody judged the result: `achieved` says only that the work finished. Absent if somebody did",
})

/** A task, open or closed. */
export const Task = Schema.Struct({
  goal: Schema.String,
  agent: Schema.String,
  outcome: Schema.NullOr(TaskOutcome).annotations({ description: "null while the task is open" }),
  reason: Schema.optionalWith(Schema.String, { exact: true }),
  unjudged: optional(Unjudged),
  from: Position.annotations({ description: "Where it was opened" }),
  to: Position.annotations({ description: "Where it was closed; while it is open, its last event so far" }),
  openedAt: EpochMs.annotations({ description: "When it began: of an imported task by its source's clock" }),
  closedAt: Schema.NullOr(EpochMs),
  steps: Schema.NonNegativeInt.annotations({ description: "Commands that its agents requested" }),
  parent: optional(ParentTask).annotations({ description: "The task that started it; absent if nobody did" }),
  budget: optional(TaskBudget).annotations({ description: "What it and the tasks that it starts may use together" }),
  asked: optional(Asked).annotations({
    description: "What was last asked of it, while it is open: to pause or to end",
  }),
  waits: optional(Schema.String).annotations({
    description: "What of an imported task is not in the log yet, as its source may go on with it",
  }),
  model: Schema.optionalWith(TaskModelUse.TaskModelUse, { exact: true }).annotations({
    description: "Absent where no language model was asked",
  }),
}).annotations({ identifier: "Task" })

export type Task = typeof Task.Type

/** Every task of the log by id, oldest first. */
export const Tasks = Schema.Record({ key: Schema.String, value: Task }).annotations({ identifier: "Tasks" })

export type Tasks = typeof Tasks.Type

/** The open tasks with their ids, oldest first. */
export const open = (tasks: Tasks): ReadonlyArray<readonly [id: string, task: Task]> =>
  Object.entries(tasks)
    .filter(([, task]) => task.outcome === null)
    .sort(([, a], [, b]) => a.from - b.from)

const apply = (tasks: RecordBuilder<Task>, event: Event): void => {
  if (event.taskId === null) return
  if (is(event, "TaskOpened")) {
    if (tasks.get(event.taskId) !== undefined) return
    const { goal, agent, limits } = event.payload
    const { position, occurredAt } = event
    const parent = ParentOf.parentOf(event.payload)
    tasks.set(event.taskId, {
      goal,
      agent,
      outcome: null,
      from: position,
      to: position,
      openedAt: occurredAt,
      closedAt: null,
      steps: 0,
      ...defined({ parent, budget: limits?.budget }),
    })
    return
  }
  tasks.change(event.taskId, (task) => {
    if (task.outcome === null) return advance(task, event)
    return LateAccount.tells(event) ? counted(task, event) : task
  })
}

/** Updates an open task. Of the events after the close, only another account's calls change it. */
const advance = (before: Task, event: Event): Task => {
  const task = waiting(before, event)
  const { asked: _, ...unasked } = task
  if (is(event, "TaskPaused")) return { ...task, asked: { what: "paused", ...event.payload }, to: event.position }
  if (is(event, "TaskCancelled")) return { ...task, asked: { what: "cancelled", ...event.payload }, to: event.position }
  if (is(event, "TaskContinued")) return { ...unasked, to: event.position }
  if (is(event, "TaskResumed")) return { ...task, agent: event.payload.agent, to: event.position }
  if (is(event, "TaskClosed")) {
    const { outcome, reason, unjudged } = event.payload
    const closed = { ...unasked, outcome, to: event.position, closedAt: event.occurredAt }
    return { ...closed, ...defined({ reason, unjudged }) }
  }
  if (is(event, "TimelineForked")) {
    const { agent, goal } = event.payload.overrides
    return {
      // A request to the parent does not concern the fork.
      ...unasked,
      agent: typeof agent === "string" ? agent : task.agent,
      goal: typeof goal === "string" ? goal : task.goal,
      to: event.position,
    }
  }
  return { ...counted(task, event), to: event.position }
}

/** Counts an event's step and model use. */
const counted = (task: Task, event: Event): Task => {
  const model = TaskModelUse.after(task.model, event)
  if (!isStep(event) && model === task.model) return task
  const next = { ...task, steps: isStep(event) ? task.steps + 1 : task.steps }
  return model === undefined ? next : { ...next, model }
}

/** The next event of an imported task replaces its waiting part. */
const waiting = (task: Task, event: Event): Task => {
  const waits = is(event, "SourceStated") ? event.payload.waits : undefined
  if (task.waits === waits) return task
  const { waits: _, ...others } = task
  return waits === undefined ? others : { ...others, waits }
}

/** Every task of the log. */
export const projection = recordProjection({ name: "Tasks", version: 8, state: Tasks, apply })
