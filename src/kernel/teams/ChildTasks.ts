/** Opens the children of tasks within the limits of their tree, and ends those that would outlive their parents. */

import { Effect } from "effect"
import { type AppendError, type CoreNewEvent, type EventLog, type LogError, MAIN } from "../../events/log/EventLog.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import type { ParentTask, TaskBudget } from "../../events/vocabulary/Tasks.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import type { ProjectorService } from "../../projections/projector/Projector.ts"
import * as TaskList from "../../projections/state/TaskList.ts"
import * as Tasks from "../../projections/state/Tasks.ts"
import * as Spending from "../../projections/tree/Spending.ts"
import * as TaskTree from "../../projections/tree/TaskTree.ts"
import { defined } from "../../values/defined.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { ChildRefused } from "../context/ChildRefused.ts"
import * as InstanceName from "../instances/InstanceName.ts"
import { cancellation } from "../recovery/Takeover.ts"
import type { OpenOptions } from "../tasks/OpenOptions.ts"
import type { RunningTasks } from "../tasks/RunningTasks.ts"
import type { Task } from "../tasks/Task.ts"
import type { ChildOf } from "../tasks/TaskOpening.ts"
import type { SpendingReader } from "./ChildSpending.ts"
import * as ProgramChildren from "./ProgramChildren.ts"
import * as TreeLimits from "./TreeLimits.ts"

/** A task that asks for a child, and the command by which it does, if there is one. */
export interface Cause {
  readonly taskId: string
  readonly timeline?: string
  readonly commandId?: string
  readonly causationId?: string | undefined
  /** Limits that the command leaves to the child. */
  readonly budget?: TaskBudget | undefined
}

/** The children of a kernel's tasks. */
export interface ChildTasks {
  /**
   * Opens a child. It gets the plugins of its parent unless the options name others, and a budget that is part of the
   * parent's.
   *
   * @param openAs opens the task with the completed options
   */
  readonly open: <E>(
    cause: Cause,
    options: OpenOptions,
    openAs: (options: OpenOptions, child: ChildOf) => Effect.Effect<Task, E>,
  ) => Effect.Effect<Task, E | ChildRefused | AppendError | LogError>
  /** Learns the open children of a task that another process worked on until now. */
  readonly adopt: (taskId: string) => Effect.Effect<void, LogError>
  /** The use of the tasks that a program started below one. */
  readonly below: ProgramChildren.ProgramChildren["below"]
  /** Cancels the open children of a task that has ended. */
  readonly ended: (place: InstanceName.Served) => Effect.Effect<void, AppendError>
}

interface Services {
  /** The log's `main` timeline, on which all children are. */
  readonly log: EventLog.Service
  readonly projector: Pick<ProjectorService, "current">
  readonly running: Pick<RunningTasks, "has" | "budgetOf">
  readonly spending: SpendingReader
  readonly limits: TreeLimits.TreeLimits
  /** Closes a cancelled child that no process works on. Default: the kernel's watch of cancellations does. */
  readonly close?: ((taskId: string) => Effect.Effect<void, AppendError>) | undefined
  /** Open tasks of an earlier kernel. */
  readonly left: ReadonlyArray<readonly [taskId: string, task: TaskTree.Member]>
}

export const make = ({ log, projector, running, spending, limits, close, left }: Services): ChildTasks => {
  const children = new Map<string, Set<string>>()
  const parents = new Map<string, string>()
  /** All tasks below one that has not ended, ended ones included. */
  const below = new Map<string, Set<string>>()
  const opening = new Set<TreeLimits.Opening>()
  const ofPrograms = ProgramChildren.make({ log, projector, spending })
  const oneAtATime = Effect.unsafeMakeSemaphore(1).withPermits(1)

  const know = (taskId: string, parent: TaskTree.Place) => {
    const name = nameOf(parent)
    parents.set(taskId, name)
    children.set(name, (children.get(name) ?? new Set()).add(taskId))
    addBelow(name, [taskId])
  }

  const addBelow = (name: string, ids: Iterable<string>) => {
    const known = below.get(name) ?? new Set<string>()
    for (const id of ids) known.add(id)
    below.set(name, known)
  }

  /** Forgets what the tasks of a tree spent once its top has ended: until then, they count for those above. */
  const forgetSums = (name: string, taskId: string) => {
    const parent = parents.get(name)
    const ended = below.get(name) ?? []
    below.delete(name)
    if (parent !== undefined) return addBelow(parent, ended)
    spending.forget(taskId)
    for (const id of ended) spending.forget(id)
  }

  /** Returns whether it was known. */
  const forget = (name: string): boolean => {
    const parent = parents.get(name)
    if (parent === undefined) return false
    parents.delete(name)
    children.get(parent)?.delete(name)
    if (children.get(parent)?.size === 0) children.delete(parent)
    return true
  }
  for (const [taskId, { parent }] of left) if (parent !== undefined) know(taskId, parent)

  /** Reserves the child's budget and its place in the tree until the log has it. */
  const reserve = (cause: Cause, taskId: string, wanted: TaskBudget | undefined) =>
    oneAtATime(
      Effect.gen(function* () {
        const parent = placeOf(cause)
        if (!running.has(nameOf(parent))) {
          const expected = "a parent that is an open task of this kernel"
          return yield* new ChildRefused({ parent: cause.taskId, limit: "parent", expected, found: "none" })
        }
        // Before the tasks are read: an opening that ends meanwhile is among them, or among these.
        const others = [...opening]
        const tasks = yield* projector.current(Tasks.projection)
        yield* TreeLimits.room(tasks, parent, others, limits)
        const most = TaskTree.smaller(SafeRecord.get(tasks, cause.taskId)?.budget, running.budgetOf(nameOf(parent)))
        const used = most === undefined ? Spending.none : yield* usedOf(tasks, parent, others)
        const budget = yield* TreeLimits.grant(cause.taskId, most, used, wanted)
        const reserved = { taskId, parent, budget }
        opening.add(reserved)
        return reserved
      }),
    )

  /** The use of a task and of its children: the whole part of each that is open. */
  const usedOf = (tasks: Tasks.Tasks, parent: ParentTask, others: ReadonlyArray<TreeLimits.Opening>) =>
    Effect.gen(function* () {
      // The use of a fork is on its own timeline: its agent keeps its budget.
      if ((parent.timeline ?? MAIN) !== MAIN) return Spending.none
      const own = yield* spending.of([parent.taskId])
      const children = TaskTree.childrenOf(tasks, parent)
      const taken = yield* ProgramChildren.takenBy(spending, tasks, children)
      return [...taken, ...TreeLimits.takenByOpening(tasks, parent, others)].reduce(Spending.plus, own)
    })

  /** Whoever paused, cancelled or ended the parent did not know of the child. */
  const likeParent = (taskId: string, { parent }: ChildOf) =>
    Effect.gen(function* () {
      if ((parent.timeline ?? MAIN) !== MAIN) return
      const { asked, outcome = null } = (yield* TaskList.standing(log, parent.taskId)) ?? {}
      if (outcome !== null) {
        ofPrograms.forget({ taskId: parent.taskId, timeline: MAIN })
        // Unless the parent's end found the child meanwhile.
        if (!forget(taskId)) return
        return yield* Effect.asVoid(log.append(cancellation(taskId, parent.taskId)))
      }
      if (asked === undefined) return
      const { what, ...by } = asked
      yield* tell(taskId, { type: what === "paused" ? "TaskPaused" : "TaskCancelled", payload: by })
      // Whoever continued the parent meanwhile saw no paused child.
      const isContinued = what === "paused" && (yield* TaskList.standing(log, parent.taskId))?.asked === undefined
      if (isContinued) yield* tell(taskId, { type: "TaskContinued", payload: { by: by.by } })
    })

  const tell = (taskId: string, event: CoreNewEvent) =>
    log.append({ stream: `task/${taskId}`, taskId, actor: "kernel", events: [event] })

  return {
    open: (cause, options, openAs) =>
      Effect.gen(function* () {
        const { taskId, commandId } = cause
        const id = options.id ?? newId()
        const [opened] = yield* log.readPage({ timeline: log.timeline, taskId, types: ["TaskOpened"] }, 1)
        const wanted = TaskTree.smaller(options.limits?.budget, cause.budget)
        return yield* Effect.acquireUseRelease(
          reserve(cause, id, wanted),
          ({ parent, budget }) =>
            Effect.gen(function* () {
              const causationId = cause.causationId ?? opened?.id
              const child: ChildOf = {
                parent: { ...parent, ...defined({ commandId }) },
                ...defined({ causationId }),
              }
              const plugins = opened !== undefined && is(opened, "TaskOpened") ? opened.payload.plugins : undefined
              const completed: OpenOptions = {
                ...defined({ plugins }),
                ...options,
                id,
                ...(budget === undefined ? {} : { limits: { ...options.limits, budget } }),
              }
              const task = yield* openAs(completed, child)
              know(task.id, parent)
              if (commandId === undefined) ofPrograms.opened(parent, task.id)
              yield* likeParent(task.id, child)
              return task
            }),
          (reserved) => Effect.sync(() => opening.delete(reserved)),
        )
      }),
    adopt: (taskId) =>
      Effect.map(TaskList.open(log), (open) => {
        children.delete(nameOf({ taskId }))
        for (const [id, { parent }] of open) if (parent?.taskId === taskId) know(id, parent)
      }),
    below: ofPrograms.below,
    ended: (place) =>
      Effect.gen(function* () {
        ofPrograms.forget(place)
        const name = InstanceName.nameOf(place)
        forgetSums(name, place.taskId)
        forget(name)
        const open = [...(children.get(name) ?? [])]
        children.delete(name)
        for (const taskId of open) {
          parents.delete(taskId)
          yield* log.append(cancellation(taskId, place.taskId))
          if (close !== undefined && !running.has(taskId)) yield* close(taskId)
        }
      }),
  }
}

const placeOf = ({ taskId, timeline = MAIN }: Cause): ParentTask =>
  timeline === MAIN ? { taskId } : { taskId, timeline }

const nameOf = ({ taskId, timeline = MAIN }: TaskTree.Place): string => InstanceName.nameOf({ taskId, timeline })
