/** Tasks with promises. */

import { Effect } from "effect"
import type { Event } from "../events/vocabulary/Event.ts"
import type { RunOptions } from "../kernel/agents/runAgent.ts"
import type { ControlOptions, TaskControl } from "../kernel/control/TaskControl.ts"
import type { Kernel, UnfinishedTask } from "../kernel/Kernel.ts"
import type { SubmitOptions } from "../kernel/queue/SubmitOptions.ts"
import type { Submitted } from "../kernel/queue/TaskQueue.ts"
import type { ResumeOptions } from "../kernel/resume/Resume.ts"
import type { OpenOptions as TaskOptions } from "../kernel/tasks/OpenOptions.ts"
import type { TaskAudit } from "../projections/audit/TaskAudit.ts"
import { type Agent, adapted } from "./Agent.ts"
import type * as Calls from "./Calls.ts"
import { promised } from "./Promised.ts"
import * as Task from "./Task.ts"

/** Opens tasks, runs agents on them, and controls them. */
export interface Tasks {
  /** Opens a task. Tasks run concurrently, each with its own environments. */
  readonly open: (options: TaskOptions & Calls.CallOptions) => Promise<Task.Task>
  /**
   * Opens a task, runs an agent on it until the agent is done or out of steps, then closes and scores it. Aborting the
   * signal closes the task as `abandoned`.
   */
  readonly run: (agent: Agent, options: RunOptions & Calls.CallOptions) => Promise<TaskAudit>
  /** Continues a task that an earlier kernel left open (see `onOpenTasks`). The agent must have the same name. */
  readonly resume: (taskId: string, agent: Agent, options?: ResumeOptions & Calls.CallOptions) => Promise<TaskAudit>
  /** Queues a task for the runners of the log. Resolves once the log has it. This kernel does not run it. */
  readonly submit: (options: SubmitOptions & Calls.CallOptions) => Promise<Submitted>
  /** Lists the open tasks that this kernel does not work on, oldest first. Resume or cancel them. */
  readonly unfinished: (call?: Calls.CallOptions) => Promise<ReadonlyArray<UnfinishedTask>>
  /** Stops all work and leaves all tasks open in the log, so that a later kernel can resume them. */
  readonly suspend: (call?: Calls.CallOptions) => Promise<void>
  /** Pauses an open task: work in progress finishes, nothing new begins until `continue`. */
  readonly pause: (taskId: string, options: ControlOptions & Calls.CallOptions) => Promise<Event>
  /** Continues a paused task. */
  readonly continue: (taskId: string, options: ControlOptions & Calls.CallOptions) => Promise<Event>
  /** Cancels an open task: interrupts work in progress, and closes the task as `abandoned`. */
  readonly cancel: (taskId: string, options: ControlOptions & Calls.CallOptions) => Promise<Event>
  /** Cancels all open tasks, including those of forks. */
  readonly stop: (options: Omit<ControlOptions, "timeline"> & Calls.CallOptions) => Promise<ReadonlyArray<Event>>
}

export const tasksOf = ({ tasks }: Kernel.Service, control: TaskControl.Service, calls: Calls.Calls): Tasks => ({
  ...promised({ ...control, unfinished: tasks.unfinished, suspend: tasks.suspend, submit: tasks.submit }, calls),
  ...promised(
    { open: (options: TaskOptions) => Effect.map(tasks.open(options), (task): Task.Task => Task.of(task, calls)) },
    calls,
  ),
  ...promised(
    {
      run: (agent: Agent, options: RunOptions) => tasks.run(adapted(agent, calls), options),
      resume: (taskId: string, agent: Agent, options?: ResumeOptions) =>
        tasks.resume(taskId, adapted(agent, calls), options),
    },
    calls,
  ),
})
