/** The tasks that a kernel works on, so that others can pause, cancel and suspend them. */

import { Deferred, Effect, FiberId } from "effect"
import type { LeaseLost } from "../../events/log/Lease.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { TaskBudget } from "../../events/vocabulary/Tasks.ts"
import { TaskClosed } from "../context/TaskLifecycle.ts"
import * as InstanceName from "../instances/InstanceName.ts"

/** A task that a kernel works on. */
export interface RunningTask {
  /** Requests to the task: `TaskPaused`, `TaskContinued`, `TaskCancelled`. */
  readonly noticed: (events: ReadonlyArray<Event>) => void
  /** The budget that its agent keeps to by itself. Default: none. */
  readonly budget?: TaskBudget | undefined
  /** Stops all work in the task and leaves it open in the log. */
  readonly suspend: Effect.Effect<void>
  /** Begins nothing new, and waits for the work in progress. */
  readonly drain: Effect.Effect<void>
  /** Fails when the task was cancelled or suspended, to end an agent that thinks. */
  readonly stopped: Effect.Effect<never, TaskClosed>
}

/** The tasks of a kernel by instance name: a task's id, or in a fork `id@timeline`. */
export interface RunningTasks {
  /** Adds a task, and suspends it at once after `end`. */
  readonly add: (instanceName: string, task: RunningTask) => Effect.Effect<void>
  readonly remove: (instanceName: string) => void
  /** Claims a task before its `add`. Returns whether it was free. */
  readonly reserve: (instanceName: string) => boolean
  /** Releases a claim; an added task stays. */
  readonly release: (instanceName: string) => void
  /** The task is here or claimed. */
  readonly has: (instanceName: string) => boolean
  /** The budget that the agent of a task here keeps to by itself. */
  readonly budgetOf: (instanceName: string) => TaskBudget | undefined
  /** Passes an event to its task. Returns whether the kernel works on that task. */
  readonly noticed: (event: Event) => boolean
  /** Fails when a task was cancelled or suspended, or the kernel lost its lease. */
  readonly stopped: (instanceName: string) => Effect.Effect<never, TaskClosed | LeaseLost>
  /** Ends the agents' work in present and later tasks: another kernel took over. */
  readonly lose: (lost: LeaseLost) => Effect.Effect<void>
  readonly suspend: (instanceName: string) => Effect.Effect<void>
  /** Waits until a task has no work in progress and begins nothing new, then suspends it. */
  readonly drain: (instanceName: string) => Effect.Effect<void>
  /** Suspends all present and later tasks. */
  readonly end: Effect.Effect<void>
  /** `end` was called. */
  readonly hasEnded: () => boolean
}

export const make = (): RunningTasks => {
  const running = new Map<string, RunningTask>()
  const reserved = new Set<string>()
  const taken = Deferred.unsafeMake<never, LeaseLost>(FiberId.none)
  let ended = false
  return {
    add: (instanceName, task) =>
      Effect.suspend(() => {
        running.set(instanceName, task)
        return ended ? task.suspend : Effect.void
      }),
    remove: (instanceName) => {
      running.delete(instanceName)
    },
    reserve: (instanceName) => {
      if (running.has(instanceName) || reserved.has(instanceName)) return false
      reserved.add(instanceName)
      return true
    },
    release: (instanceName) => {
      reserved.delete(instanceName)
    },
    has: (instanceName) => running.has(instanceName) || reserved.has(instanceName),
    budgetOf: (instanceName) => running.get(instanceName)?.budget,
    noticed: (event) => {
      const { taskId, timeline } = event
      const task = taskId === null ? undefined : running.get(InstanceName.nameOf({ taskId, timeline }))
      task?.noticed([event])
      return task !== undefined
    },
    stopped: (instanceName) =>
      Effect.suspend(() => {
        const task = running.get(instanceName)
        return task === undefined
          ? new TaskClosed({ taskId: InstanceName.servedBy(instanceName).taskId })
          : Effect.raceFirst(task.stopped, Deferred.await(taken))
      }),
    lose: (lost) => Effect.asVoid(Deferred.fail(taken, lost)),
    suspend: (instanceName) => Effect.suspend(() => running.get(instanceName)?.suspend ?? Effect.void),
    drain: (instanceName) =>
      Effect.suspend(() => {
        const task = running.get(instanceName)
        return task === undefined ? Effect.void : Effect.zipRight(task.drain, task.suspend)
      }),
    end: Effect.suspend(() => {
      ended = true
      // Children before their parents, which opened them: a suspended parent interrupts the work of its children.
      return Effect.forEach([...running.values()].reverse(), ({ suspend }) => suspend, { discard: true })
    }),
    hasEnded: () => ended,
  }
}
