/**
 * Which events can change a path of the environment. With it, a query about one task is answered from that task's
 * index, however long the log is.
 */

import type { Query } from "../../events/log/EventLog.ts"
import { pointerKeys } from "../../values/Json.ts"

/**
 * The events that can change the value at a path: those of one task, those of no task, or any. A task's scope changes
 * only by the task's own events, and the shared scope only by events that belong to no task (see `EnvironmentState`).
 */
export type EventFilter = Pick<Query, "taskId">

/** Any event can matter. */
export const everything: EventFilter = {}

/** The filter of a path; undefined if no event ever changes it. */
export const ofPath = (keys: ReadonlyArray<string>): EventFilter | undefined => {
  const [scope, taskId] = keys
  if (scope === undefined) return everything
  if (scope === "tasks") return taskId === undefined ? everything : { taskId }
  return scope === "shared" ? { taskId: null } : undefined
}

/** The filter of several paths (JSON Pointers) together: their common filter, or `everything` if they differ. */
export const ofPaths = (paths: ReadonlyArray<string>): EventFilter => {
  const filters = paths.flatMap((path) => ofPath(pointerKeys(path)) ?? [])
  const [first = everything, ...others] = filters
  return others.every(({ taskId }) => taskId === first.taskId) ? first : everything
}

/**
 * Whether a path spans more than one scope. Then the values shown for it are limited to the scopes that an event can
 * change.
 */
export const isWide = (keys: ReadonlyArray<string>): boolean => ofPath(keys) === everything
