/** Closes a fork's task with the outcome of the agent's work. */

import { type Cause, Effect, Exit } from "effect"
import type { RunResult } from "../agents/AgentLoop.ts"
import type { Divergence } from "../replay/Divergence.ts"
import * as ReplayedPlugins from "../replay/ReplayedPlugins.ts"
import type * as Task from "../tasks/Task.ts"
import * as TaskStart from "../tasks/TaskStart.ts"

export const close = (
  task: Task.Task,
  worked: Exit.Exit<RunResult, unknown>,
  divergence: Divergence | undefined,
  missed: string | undefined,
) => {
  const [outcome, reason] =
    divergence !== undefined
      ? (["failed", `its agent did otherwise than was recorded, @${divergence.position}`] as const)
      : missed !== undefined
        ? (["truncated", ReplayedPlugins.unrecordedReason(missed)] as const)
        : Exit.match(worked, {
            onSuccess: ({ outcome, reason }) => [outcome, reason] as const,
            onFailure: (cause) => TaskStart.endOf(cause as Cause.Cause<unknown>),
          })
  return Effect.catchTag(task.close(outcome, reason), "TaskClosed", () => Effect.void)
}
