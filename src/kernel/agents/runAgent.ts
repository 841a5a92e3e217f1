/**
 * Runs an agent on a new task and always closes the task: as `failed` if the agent throws, as `abandoned` if the run is
 * interrupted.
 */
import { Cause, Effect, Exit } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import * as LogFailures from "../../events/log/LogFailures.ts"
import { TaskBudget } from "../../events/vocabulary/Tasks.ts"
import type * as TaskAudit from "../../projections/audit/TaskAudit.ts"
import { defined } from "../../values/defined.ts"
import * as Options from "../../values/Options.ts"
import type { ActError } from "../acting/CommandExecution.ts"
import type { TaskClosed } from "../context/TaskLifecycle.ts"
import type { PerceiveError } from "../sensing/Perception.ts"
import * as Task from "../tasks/Task.ts"
import type { OpenError } from "../tasks/TaskOpening.ts"
import * as TaskStart from "../tasks/TaskStart.ts"
import * as Agent from "./Agent.ts"
import { type LoopOptions, loop, loopFields, type RunResult } from "./AgentLoop.ts"

/** Options of a run. */
export interface RunOptions extends Omit<Task.OpenOptions, "agent" | "limits">, LoopOptions {
  /**
   * Limits of the task and the tasks that it starts, together. Recorded. An agent that thinks with a model keeps to it
   * as to its own budget. Default: no limit, or as much as the parent has left.
   */
  readonly budget?: TaskBudget
}

/** Schema of `RunOptions`. */
export const RunOptions = Options.of<RunOptions>({
  required: { goal: Options.Text },
  optional: { ...Task.openFields, ...loopFields, budget: TaskBudget },
})

/** Reasons why a run ended without a result. The task is closed, unless the log could not be written. */
export type RunError = OpenError | TaskClosed | Agent.AgentFailed | ActError | PerceiveError

export interface TaskService {
  /** Opens a task for an agent that keeps to a budget by itself, or for one that has none. */
  readonly open: (options: Task.OpenOptions, budget: TaskBudget | undefined) => Effect.Effect<Task.Task, OpenError>
  /** Fails when the task is cancelled or suspended, or the kernel loses its lease. */
  readonly stopped: (taskId: string) => Effect.Effect<never, TaskClosed | LeaseLost>
  /** Stops a task's work and leaves it open in the log. Absent for a kernel that leaves no task open. */
  readonly suspend?: ((taskId: string) => Effect.Effect<void>) | undefined
}

export interface AuditedTasks extends TaskService {
  readonly audit: (taskId: string) => Effect.Effect<TaskAudit.TaskAudit, TaskAudit.TaskNotFound | LogError>
}

export const runAgent = (
  { audit, ...service }: AuditedTasks,
  given: Agent.Agent,
  options: RunOptions,
): Effect.Effect<TaskAudit.TaskAudit, RunError> =>
  Effect.flatMap(complete(service, given, options), ({ taskId }) =>
    Effect.catchTag(audit(taskId), "TaskNotFound", Effect.die),
  )

/** A task on which an agent has worked. */
export interface Completed {
  readonly taskId: string
  /** False if somebody else has closed or suspended it meanwhile. */
  readonly isClosed: boolean
}

/** Like `runAgent`, for a caller that needs no audit. */
export const complete = (
  { open, stopped, suspend }: TaskService,
  given: Agent.Agent,
  options: RunOptions,
): Effect.Effect<Completed, RunError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const agent = yield* Options.decode("tasks.run", Agent.Agent, given, ["agent"])
      const { maxSteps, deadlineMs, budget, ...opening } = yield* Options.decode("tasks.run", RunOptions, options)
      const asked = {
        ...defined({ maxSteps, deadlineMs }),
      }
      const rounds = Agent.isGroup(agent) && agent.maxRounds !== undefined ? { maxRounds: agent.maxRounds } : {}
      const known = { ...asked, ...rounds, ...defined({ budget }) }
      const limits = Object.keys(known).length === 0 ? {} : { limits: known }
      const task = yield* restore(open({ ...opening, ...limits, agent: Agent.fullName(agent) }, Agent.budgetOf(agent)))
      const ended = yield* Effect.exit(restore(Effect.raceFirst(loop(agent, task, asked), stopped(task.id))))
      const isClosed = yield* endAfter(task, ended, suspend)
      yield* ended
      return { taskId: task.id, isClosed }
    }),
  )

/** Closes a task, or leaves it open where somebody may continue it and only the log has failed. False if it left it. */
export const endAfter = (
  task: Task.Task,
  worked: Exit.Exit<RunResult, unknown>,
  suspend: TaskService["suspend"],
): ReturnType<typeof closeAfter> =>
  suspend !== undefined && Exit.isFailure(worked) && LogFailures.isOne(Cause.squash(worked.cause))
    ? Effect.as(suspend(task.id), false)
    : closeAfter(task, worked)

/** Closes a task with the outcome of its agent's work. False if it was closed already, by the agent or otherwise. */
export const closeAfter = (task: Task.Task, worked: Exit.Exit<RunResult, unknown>) => {
  const [outcome, reason] = Exit.match(worked, {
    onSuccess: ({ outcome, reason }) => [outcome, reason] as const,
    onFailure: TaskStart.endOf,
  })
  return task.close(outcome, reason).pipe(
    Effect.as(true),
    Effect.catchTag("TaskClosed", () => Effect.succeed(false)),
  )
}
