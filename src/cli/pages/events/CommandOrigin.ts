import type { Tasks } from "../../../projections/state/Tasks.ts"
import { oneLine } from "../../../values/PlainText.ts"
import * as SafeRecord from "../../../values/SafeRecord.ts"

/** Whose command a person is asked about, and what for: the agent and the goal of its task, `me@1: Tidy up`. */
export const describe = (tasks: Tasks, taskId: string | null): string => {
  const task = taskId === null ? undefined : SafeRecord.get(tasks, taskId)
  return task === undefined ? "no task" : oneLine(`${task.agent}: ${task.goal}`)
}
