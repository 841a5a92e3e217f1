/**
 * Selects the events that can change a path of the environment, so that a query about one task reads only that task's
 * events.
 */

import type { Query } from "../../events/log/EventLog.ts"
import { pointerKeys } from "../../values/Json.ts"

/**
 * The events that can change the value at a path: those of one task, those of no task, or any. Only a task's own events
 * change its scope, and only events without a task change the shared scope (see `EnvironmentState`).
 */
export type EventFilter = Pick<Query, "taskId">

export const everything: EventFilter = {}

/** The filter of a path; undefined if no event ever changes it. */
export const ofPath = (keys: ReadonlyArray<string>): EventFilter | undefined => {
  const [scope, taskId] = keys
  if (scope === undefined) return everything
  if (scope === "tasks") return taskId === undefined ? everything : { taskId }
  return scope === "shared" ? { taskId: null } : undefined
}

/** The common filter of several JSON Pointers, or `everything` if their filters differ. */
export const ofPaths = (paths: ReadonlyArray<string>): EventFilter => {
  const filters = paths.flatMap((path) => ofPath(pointerKeys(path)) ?? [])
  const [first = everything, ...others] = filters
  return others.every(({ taskId }) => taskId === first.taskId) ? first : everything
}

/** Whether a path spans several scopes. Then each shown value is limited to the scopes that the event can change. */
export const isWide = (keys: ReadonlyArray<string>): boolean => ofPath(keys) === everything
