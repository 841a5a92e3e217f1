/** The tasks that a kernel works on, so that they can be paused, cancelled and suspended from outside. */

import { Effect } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import * as InstanceName from "../instances/InstanceName.ts"

/** A task that is being worked on. */
export interface RunningTask {
  /** Takes note of what was asked of the task: `TaskPaused`, `TaskContinued`, `TaskCancelled`. */
  readonly noticed: (events: ReadonlyArray<Event>) => void
  /** Stops all work in the task and leaves it open in the log. */
  readonly suspend: Effect.Effect<void>
}

/** The tasks of a kernel by the names of their instances: a task's id, or in a fork `id@timeline`. */
export interface RunningTasks {
  readonly add: (instanceName: string, task: RunningTask) => void
  readonly remove: (instanceName: string) => void
  readonly has: (instanceName: string) => boolean
  readonly isEmpty: () => boolean
  /** Hands an event on to its task. Returns whether the kernel works on that task. */
  readonly noticed: (event: Event) => boolean
  /** Suspends a task, if it is here. */
  readonly suspend: (instanceName: string) => Effect.Effect<void>
  /** Suspends every task. */
  readonly suspendAll: Effect.Effect<void>
}

export const make = (): RunningTasks => {
  const running = new Map<string, RunningTask>()
  return {
    add: (instanceName, task) => {
      running.set(instanceName, task)
    },
    remove: (instanceName) => {
      running.delete(instanceName)
    },
    has: (instanceName) => running.has(instanceName),
    isEmpty: () => running.size === 0,
    noticed: (event) => {
      const { taskId, timeline } = event
      const task = taskId === null ? undefined : running.get(InstanceName.nameOf({ taskId, timeline }))
      task?.noticed([event])
      return task !== undefined
    },
    suspend: (instanceName) => Effect.suspend(() => running.get(instanceName)?.suspend ?? Effect.void),
    suspendAll: Effect.suspend(() =>
      Effect.forEach([...running.values()], ({ suspend }) => suspend, { discard: true }),
    ),
  }
}
