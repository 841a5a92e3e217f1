/** Resumes open tasks in the background when a kernel starts. */

import { Effect, type Scope } from "effect"
import type { LogError } from "../events/log/EventLog.ts"
import * as ProgramLog from "../platform/ProgramLog.ts"
import * as Agent from "./agents/Agent.ts"
import type { Kernel, UnfinishedTask } from "./Kernel.ts"

/**
 * Resumes each open task whose agent has one of these names. If a task cannot be resumed, it stays open, and a log line
 * gives the reason. Closing the scope suspends the tasks.
 */
export const start = (
  { tasks }: Kernel.Service,
  agents: ReadonlyArray<Agent.Agent>,
): Effect.Effect<void, LogError, Scope.Scope> =>
  Effect.gen(function* () {
    if (agents.length === 0) return
    for (const { taskId, agent: recorded } of toResume(yield* tasks.unfinished)) {
      const agent = Agent.recordedAs(agents, recorded)
      if (agent === undefined) continue
      yield* tasks.resume(taskId, agent).pipe(
        // The task was cancelled, or the kernel ends.
        Effect.catchTag("TaskClosed", () => Effect.void),
        Effect.catchTag("LeaseLost", (lost) => (lost.suspended === undefined ? lost : Effect.void)),
        // Often because a runner continues it.
        Effect.catchTag("NotResumable", ({ message }) => ProgramLog.warning(message)),
        Effect.catchAllCause((cause) => ProgramLog.error(`resuming task ${taskId} failed`, cause)),
        Effect.forkScoped,
      )
    }
    yield* Effect.addFinalizer(() => tasks.suspend)
  })

/** The tasks to resume among all unfinished ones: the command that called an agent continues that agent's task. */
export const toResume = (unfinished: ReadonlyArray<UnfinishedTask>): ReadonlyArray<UnfinishedTask> => {
  const open = new Set(unfinished.map(({ taskId }) => taskId))
  return unfinished.filter(({ parent }) => parent?.commandId === undefined || !open.has(parent.taskId))
}
