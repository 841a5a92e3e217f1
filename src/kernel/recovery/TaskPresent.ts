/** Looks at what goes on in the open tasks of a log, for lists and explanations. */

import { Effect, Option } from "effect"
import { EventLog, type LogError, MAIN } from "../../events/log/EventLog.ts"
import { Lease } from "../../events/log/Lease.ts"
import { Presence } from "../../events/log/Presence.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import * as PendingConfirmations from "../../projections/state/PendingConfirmations.ts"
import * as TaskList from "../../projections/state/TaskList.ts"
import type { Task } from "../../projections/state/Tasks.ts"
import type { Activity } from "../../projections/summary/Activity.ts"
import { defined } from "../../values/defined.ts"
import * as TaskActivity from "./TaskActivity.ts"

/** The activity of an open task on the timeline of a log; null if the task is closed or unknown. */
export type Look = (
  log: EventLog.Service,
  taskId: string,
  known?: Pick<Task, "outcome" | "asked">,
) => Effect.Effect<Activity | null, LogError>

/**
 * Looks at the tasks of the log in the context. Asks for the log's kernel once. Without a lease and a presence in the
 * context, returns `unknown`.
 */
export const look: Effect.Effect<Look> = Effect.gen(function* () {
  const writers = {
    lease: Option.getOrUndefined(yield* Effect.serviceOption(Lease)),
    presence: Option.getOrUndefined(yield* Effect.serviceOption(Presence)),
  }
  const kernel = yield* Effect.cached(TaskActivity.kernelState(writers))
  return (log, taskId, known) =>
    Effect.gen(function* () {
      const task = known ?? (yield* TaskList.standing(log, taskId))
      if (task === undefined || task.outcome !== null) return null
      const questions = yield* questionsOf(log, taskId)
      const { timeline } = log
      const open = { taskId, timeline, questions, ...defined({ asked: task.asked }) }
      return yield* TaskActivity.of(log, writers, yield* kernel, open)
    })
})

/** What goes on in one task of the log in the context; null if it is closed. */
export const of = (taskId: string): Effect.Effect<Activity | null, LogError, EventLog> =>
  Effect.gen(function* () {
    return yield* (yield* look)(yield* EventLog, taskId)
  })

/** The look at tasks of all timelines of the log in the context; on `main` if no timeline is named. */
export const onTimelines = Effect.gen(function* () {
  const log = yield* EventLog
  const activityOf = yield* look
  return (timeline: string | undefined, taskId: string, known?: Pick<Task, "outcome" | "asked">) =>
    Effect.gen(function* () {
      const name = timeline ?? MAIN
      const view = name === log.timeline ? log : Timelines.view(log, yield* Timelines.named(log, name))
      return yield* activityOf(view, taskId, known)
    })
})

/** A row of a table, which names the outcome of an open task `open`. */
interface TableRow {
  readonly taskId: string
  readonly outcome: string
}

/** Adds the activities of open tasks to the rows of a table. */
export const ofRows = <Row extends TableRow>(rows: ReadonlyArray<Row>, timelineOf: (row: Row) => string | undefined) =>
  Effect.gen(function* () {
    const activityOf = yield* onTimelines
    return yield* Effect.forEach(rows, (row) => {
      const activity = row.outcome === "open" ? activityOf(timelineOf(row), row.taskId) : Effect.succeed(null)
      return Effect.map(activity, (found) => ({ ...row, activity: found }))
    })
  })

const questionsOf = (log: EventLog.Service, taskId: string): Effect.Effect<number, LogError> =>
  Effect.gen(function* () {
    let pending: PendingConfirmations.PendingConfirmations = {}
    const query = { timeline: log.timeline, taskId, types: PendingConfirmations.ASKING }
    yield* Pages.forEach(log.readPage, query, (page) => {
      for (const event of page) pending = PendingConfirmations.projection.evolve(pending, event)
    })
    return Object.keys(pending).length
  })
