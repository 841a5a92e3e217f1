/** Names the task and agent behind a command, for the person who confirms it. */
import { Effect } from "effect"
import { EventLog, type LogError } from "../../../events/log/EventLog.ts"
import * as TaskList from "../../../projections/state/TaskList.ts"
import { oneLine } from "../../../values/PlainText.ts"

/** The agent and the goal of a command's task: `me@1: Tidy up`. */
export const describe = (taskId: string | null): Effect.Effect<string, LogError, EventLog> =>
  Effect.gen(function* () {
    const task = taskId === null ? undefined : yield* TaskList.heading(yield* EventLog, taskId)
    return task === undefined ? "no task" : oneLine(`${task.agent}: ${task.goal}`)
  })
