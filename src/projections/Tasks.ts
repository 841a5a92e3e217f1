import { Schema } from "effect"
import { EpochMs, type Event, Position } from "../events/Event.ts"
import { is } from "../events/Vocabulary.ts"
import { TaskOutcome } from "../events/vocabulary/Tasks.ts"
import * as Keyed from "./Keyed.ts"
import { type Projection, step } from "./Projection.ts"

/** A task, open or closed. */
export const Task = Schema.Struct({
  goal: Schema.String,
  agent: Schema.String,
  outcome: Schema.NullOr(TaskOutcome).annotations({ description: "null while the task is open" }),
  reason: Schema.optionalWith(Schema.String, { exact: true }),
  from: Position.annotations({ description: "Where it was opened" }),
  to: Position.annotations({ description: "Where it was closed; while it is open, its last event so far" }),
  openedAt: EpochMs,
  closedAt: Schema.NullOr(EpochMs),
  steps: Schema.NonNegativeInt.annotations({ description: "Commands requested" }),
}).annotations({ identifier: "Task" })

export type Task = typeof Task.Type

/** Every task of the log by its id, oldest first. */
export const Tasks = Schema.Record({ key: Schema.String, value: Task }).annotations({ identifier: "Tasks" })

export type Tasks = typeof Tasks.Type

/** The open tasks: id and task, oldest first. */
export const open = (tasks: Tasks): ReadonlyArray<readonly [id: string, task: Task]> =>
  Object.entries(tasks)
    .filter(([, task]) => task.outcome === null)
    .sort(([, a], [, b]) => a.from - b.from)

const evolve = (tasks: Tasks, event: Event): Tasks => {
  if (event.taskId === null) return tasks
  if (is(event, "TaskOpened")) {
    if (Keyed.get(tasks, event.taskId) !== undefined) return tasks
    const { goal, agent } = event.payload
    const { position, recordedAt } = event
    return Keyed.set(tasks, event.taskId, {
      goal,
      agent,
      outcome: null,
      from: position,
      to: position,
      openedAt: recordedAt,
      closedAt: null,
      steps: 0,
    })
  }
  return Keyed.change(tasks, event.taskId, (task) => (task.outcome === null ? proceed(task, event) : task))
}

/** What comes after the close (scores, notes) is about the task, not part of it. */
const proceed = (task: Task, event: Event): Task => {
  if (is(event, "TaskClosed")) {
    const { outcome, reason } = event.payload
    const closed = { ...task, outcome, to: event.position, closedAt: event.recordedAt }
    return reason === undefined ? closed : { ...closed, reason }
  }
  const steps = is(event, "ActuatorCommanded") ? task.steps + 1 : task.steps
  return { ...task, to: event.position, steps }
}

/** Every task: goal, outcome, range of positions. */
export const projection: Projection<Tasks> = {
  name: "Tasks",
  version: 1,
  state: Tasks,
  initial: {},
  evolve,
  // An event changes its own task only: the record of all tasks is copied once.
  evolveAll: (tasks, events) => {
    const changed = new Map<string, Task>()
    for (const event of events) {
      if (event.taskId === null) continue
      const before = changed.get(event.taskId) ?? Keyed.get(tasks, event.taskId)
      const after = Keyed.get(
        step(projection, before === undefined ? {} : { [event.taskId]: before }, event),
        event.taskId,
      )
      if (after !== undefined && after !== before) changed.set(event.taskId, after)
    }
    return Keyed.setAll(tasks, changed)
  },
}
