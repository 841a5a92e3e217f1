/** The tasks that a kernel works on, so that they can be paused, cancelled and suspended from outside. */

import { Deferred, Effect, FiberId } from "effect"
import type { LeaseLost } from "../../events/log/Lease.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { TaskClosed } from "../context/TaskLifecycle.ts"
import * as InstanceName from "../instances/InstanceName.ts"

/** A task that is being worked on. */
export interface RunningTask {
  /** Takes note of what was asked of the task: `TaskPaused`, `TaskContinued`, `TaskCancelled`. */
  readonly noticed: (events: ReadonlyArray<Event>) => void
  /** Stops all work in the task and leaves it open in the log. */
  readonly suspend: Effect.Effect<void>
  /** Fails when the task was cancelled or suspended, for an agent that would go on thinking. */
  readonly stopped: Effect.Effect<never, TaskClosed>
}

/** The tasks of a kernel by the names of their instances: a task's id, or in a fork `id@timeline`. */
export interface RunningTasks {
  /** Adds a task. After `end` it is suspended at once. */
  readonly add: (instanceName: string, task: RunningTask) => Effect.Effect<void>
  /** Forgets a task that has ended. */
  readonly remove: (instanceName: string) => void
  /** Claims a task that is about to be added. Returns whether it was free. */
  readonly reserve: (instanceName: string) => boolean
  /** Gives a claim back; a task that was added meanwhile stays. */
  readonly release: (instanceName: string) => void
  /** Whether a task is here or claimed. */
  readonly has: (instanceName: string) => boolean
  /** Hands an event on to its task. Returns whether the kernel works on that task. */
  readonly noticed: (event: Event) => boolean
  /** Fails when a task was cancelled or suspended (see `RunningTask`), or the kernel lost its lease. */
  readonly stopped: (instanceName: string) => Effect.Effect<never, TaskClosed | LeaseLost>
  /** Ends the agents' work in all tasks, and in those that are added later: another kernel took over. */
  readonly lose: (lost: LeaseLost) => Effect.Effect<void>
  /** Suspends a task, if it is here. */
  readonly suspend: (instanceName: string) => Effect.Effect<void>
  /** Suspends every task, and every one that is added later. */
  readonly end: Effect.Effect<void>
  /** Whether the task has ended. */
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
    end: Effect.suspend(() => {
      ended = true
      return Effect.forEach([...running.values()], ({ suspend }) => suspend, { discard: true })
    }),
    hasEnded: () => ended,
  }
}
