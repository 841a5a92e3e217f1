import { MAIN } from "../../events/log/EventLog.ts"

/** A task in one of its histories: a fork of it has the same id on another timeline. */
export interface Served {
  readonly taskId: string
  readonly timeline: string
}

/** The name of the instances that serve a task alone: its id, and in a fork the timeline after an @, which no id holds. */
export const nameOf = ({ taskId, timeline }: Served): string => (timeline === MAIN ? taskId : `${taskId}@${timeline}`)

/** Whom the instances of that name serve. */
export const servedBy = (name: string): Served => {
  const at = name.indexOf("@")
  return at < 0 ? { taskId: name, timeline: MAIN } : { taskId: name.slice(0, at), timeline: name.slice(at + 1) }
}
