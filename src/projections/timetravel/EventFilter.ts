import type { Query } from "../../events/log/EventLog.ts"
import { pointerKeys } from "../../values/Json.ts"

/**
 * Which events can change what is at a path of the environment: those of one task, those of none, or any. What lies below
 * a task changes by the task's own events alone, and what all share by those that belong to no task (see
 * `EnvironmentState`); so a question about one task is answered by its index, however long the log is.
 */
export type EventFilter = Pick<Query, "taskId">

/** Any event may matter. */
export const everything: EventFilter = {}

/** The extent of a path; undefined where no event ever puts anything there. */
export const ofPath = (keys: ReadonlyArray<string>): EventFilter | undefined => {
  const [scope, taskId] = keys
  if (scope === undefined) return everything
  if (scope === "tasks") return taskId === undefined ? everything : { taskId }
  return scope === "shared" ? { taskId: null } : undefined
}

/** The extent of several paths (JSON Pointers) together: that of each, where they all have the same one. */
export const ofPaths = (paths: ReadonlyArray<string>): EventFilter => {
  const extents = paths.flatMap((path) => ofPath(pointerKeys(path)) ?? [])
  const [first = everything, ...others] = extents
  return others.every(({ taskId }) => taskId === first.taskId) ? first : everything
}

/** Whether a path spans more than one scope: then what is shown of its value is what an event can change of it. */
export const isWide = (keys: ReadonlyArray<string>): boolean => ofPath(keys) === everything
