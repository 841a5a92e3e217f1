/** The audit of a task together with the tasks that it started, and theirs. */

import { Effect, Either, Schema } from "effect"
import { EventLog, type LogError, MAIN } from "../../events/log/EventLog.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import { optional } from "../../events/vocabulary/EventType.ts"
import { ParentTask, TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import { defined } from "../../values/defined.ts"
import type { InvalidOptions } from "../../values/Options.ts"
import * as Audits from "../audit/Audits.ts"
import * as TaskAudit from "../audit/TaskAudit.ts"
import * as TaskList from "../state/TaskList.ts"
import * as Tasks from "../state/Tasks.ts"
import * as TaskTree from "./TaskTree.ts"
import * as TreeUse from "./TreeUse.ts"

const Node = Schema.Struct({
  taskId: Schema.String,
  depth: Schema.NonNegativeInt.annotations({ description: "0 for the task at the top" }),
  parent: Schema.optionalWith(ParentTask, { exact: true }),
  agent: Schema.String,
  goal: Schema.String,
  outcome: Schema.NullOr(TaskOutcome),
  unjudged: optional(Tasks.Unjudged),
  reason: Schema.optionalWith(Schema.String, { exact: true }),
  own: TreeUse.TreeUse.annotations({ description: "What the task itself used" }),
  all: TreeUse.TreeUse.annotations({ description: "What it and the tasks below it used" }),
})

/** A task and all tasks below it. */
export const TreeAudit = Schema.Struct({
  taskId: Schema.String,
  timeline: Schema.String,
  total: TreeUse.TreeUse,
  tasks: Schema.Array(Node).annotations({
    description: "The task, then the tasks below it: a child before its own children, siblings oldest first",
  }),
}).annotations({ identifier: "TreeAudit" })

export type TreeAudit = typeof TreeAudit.Type

/**
 * Computes the audit of a tree at the head of the log, from the audits of its tasks. The tree of a forked task has the
 * tasks that the fork started; those from before the fork belong to the tree of the task that it left.
 *
 * @param timeline the timeline of the task at the top. Default: `main`
 */
export const load = (
  taskId: string,
  timeline: string = MAIN,
): Effect.Effect<
  TreeAudit,
  TaskAudit.TaskNotFound | InvalidOptions | Timelines.TimelineNotFound | LogError,
  EventLog
> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const view = timeline === MAIN ? log : Timelines.view(log, yield* Timelines.named(log, timeline))
    const members = yield* TaskList.standings(log)
    const top = yield* TaskList.standing(view, taskId)
    if (top === undefined) return yield* new TaskAudit.TaskNotFound({ taskId })
    const below = TaskTree.descendantsOf(members, { taskId, timeline })
    const placed = [{ taskId, task: top, depth: 0 }, ...below]
    const first = yield* Effect.provideService(TaskAudit.load(taskId), EventLog, view)
    const audits = new Map([[taskId, first]])
    const others = below.map(({ taskId }) => taskId)
    const take = (audit: TaskAudit.TaskAudit) => audits.set(audit.taskId, audit)
    if (others.length > 0) yield* Audits.forEach(take, { tasks: others })
    return yield* document(timeline, placed, audits)
  })

/** Builds the document from the audits of the placed tasks. Fails if one is missing. */
export const document = (
  timeline: string,
  placed: ReadonlyArray<TaskTree.Placed<TaskTree.Member>>,
  audits: ReadonlyMap<string, TaskAudit.TaskAudit>,
): Either.Either<TreeAudit, TaskAudit.TaskNotFound> =>
  Either.gen(function* () {
    const found = yield* Either.all(
      placed.map(({ taskId, task, depth }) => {
        const audit = audits.get(taskId)
        return audit === undefined
          ? Either.left(new TaskAudit.TaskNotFound({ taskId, ...(timeline === MAIN ? {} : { timeline }) }))
          : Either.right({ taskId, depth, parent: task.parent, audit })
      }),
    )
    const tasks = found.map(({ taskId, depth, parent, audit }, index) => {
      // The tasks below one follow it, up to the next one that is not deeper.
      const end = found.findIndex((other, at) => at > index && other.depth <= depth)
      const family = found.slice(index, end === -1 ? undefined : end)
      const { agent, goal, outcome, unjudged, reason } = audit
      return {
        taskId,
        depth,
        ...defined({ parent }),
        agent,
        goal,
        outcome,
        ...defined({ unjudged, reason }),
        own: TreeUse.of([audit]),
        all: TreeUse.of(family.map(({ audit }) => audit)),
      }
    })
    return { taskId: found[0]?.taskId ?? "", timeline, total: TreeUse.of(found.map(({ audit }) => audit)), tasks }
  })
