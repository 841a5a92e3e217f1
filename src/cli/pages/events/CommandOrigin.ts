/** Names the task and agent behind a command, for the person who confirms it. */
import type { Tasks } from "../../../projections/state/Tasks.ts"
import { oneLine } from "../../../values/PlainText.ts"
import * as SafeRecord from "../../../values/SafeRecord.ts"

/** The agent and the goal of a command's task: `me@1: Tidy up`. */
export const describe = (tasks: Tasks, taskId: string | null): string => {
  const task = taskId === null ? undefined : SafeRecord.get(tasks, taskId)
  return task === undefined ? "no task" : oneLine(`${task.agent}: ${task.goal}`)
}
