/** Names of the instances that serve a single task. */

import { MAIN } from "../../events/log/EventLog.ts"

/** A task on one timeline. A fork has the same id on another timeline. */
export interface Served {
  readonly taskId: string
  readonly timeline: string
}

/** The task's id and, in a fork, `@` and the timeline. Ids never contain an `@`. */
export const nameOf = ({ taskId, timeline }: Served): string => (timeline === MAIN ? taskId : `${taskId}@${timeline}`)

export const servedBy = (name: string): Served => {
  const at = name.indexOf("@")
  return at < 0 ? { taskId: name, timeline: MAIN } : { taskId: name.slice(0, at), timeline: name.slice(at + 1) }
}
