/** How a fork ends: with the outcome of its agent's work, or because the agent diverged from its past. */

import { type Cause, Effect, Exit } from "effect"
import type { RunResult } from "../agents/AgentLoop.ts"
import { choiceOf, type Divergence } from "../replay/Divergence.ts"
import * as RecordedTask from "../replay/RecordedTask.ts"
import * as ReplayedPlugins from "../replay/ReplayedPlugins.ts"
import * as Task from "../tasks/Task.ts"

/** The divergence of an agent that was done before it reached the point of the fork. */
export const doneEarly = (
  recordedTask: RecordedTask.RecordedTask,
  worked: Exit.Exit<RunResult, unknown>,
): Divergence | undefined => {
  const next = recordedTask.next()
  if (next === undefined || Exit.isFailure(worked)) return undefined
  const found = { done: worked.value.outcome }
  return { kind: "done-earlier", position: RecordedTask.positionOf(next), path: "", expected: choiceOf(next), found }
}

/** Closes the fork's task with the outcome of the agent's work. */
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
            onFailure: (cause) => Task.endOf(cause as Cause.Cause<unknown>),
          })
  return Effect.catchTag(task.close(outcome, reason), "TaskClosed", () => Effect.void)
}
