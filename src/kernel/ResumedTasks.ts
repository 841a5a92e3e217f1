/** Resumes open tasks in the background when a kernel starts. */

import { Effect, type Scope } from "effect"
import type { LogError } from "../events/log/EventLog.ts"
import * as ProgramLog from "../platform/ProgramLog.ts"
import type * as Agent from "./agents/Agent.ts"
import type { Kernel } from "./Kernel.ts"

/**
 * Resumes each open task whose agent has the name of one of these. A task that cannot be resumed stays open, with a log
 * line about the reason. When the scope closes, the tasks are suspended.
 */
export const start = (
  { tasks }: Kernel.Service,
  agents: ReadonlyArray<Agent.Agent>,
): Effect.Effect<void, LogError, Scope.Scope> =>
  Effect.gen(function* () {
    if (agents.length === 0) return
    for (const { taskId, agent: recorded } of yield* tasks.unfinished) {
      const agent = agents.find(({ name }) => recorded.startsWith(`${name}@`))
      if (agent === undefined) continue
      yield* tasks.resume(taskId, agent).pipe(
        // The task was cancelled, or the kernel ends.
        Effect.catchTag("TaskClosed", () => Effect.void),
        Effect.catchTag("LeaseLost", (lost) => (lost.suspended === undefined ? lost : Effect.void)),
        Effect.catchAllCause((cause) => ProgramLog.error(`resuming task ${taskId} failed`, cause)),
        Effect.forkScoped,
      )
    }
    yield* Effect.addFinalizer(() => tasks.suspend)
  })
