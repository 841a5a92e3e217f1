/** Tasks with promises: opened, run by an agent, resumed, paused and cancelled. */

import { Effect } from "effect"
import type { Event } from "../events/vocabulary/Event.ts"
import type { RunOptions } from "../kernel/agents/runAgent.ts"
import type { ControlOptions, TaskControl } from "../kernel/control/TaskControl.ts"
import type { Kernel, UnfinishedTask } from "../kernel/Kernel.ts"
import type { ResumeOptions } from "../kernel/resume/Resume.ts"
import type { OpenOptions as TaskOptions } from "../kernel/tasks/OpenOptions.ts"
import type { TaskAudit } from "../projections/audit/TaskAudit.ts"
import { type Agent, adapted } from "./Agent.ts"
import type * as Calls from "./Calls.ts"
import { promised } from "./Promised.ts"
import * as Task from "./Task.ts"

/** Tasks: open them, or let an agent work on one. */
export interface Tasks {
  /** Opens a task. Tasks run concurrently; each has its own environments. */
  readonly open: (options: TaskOptions & Calls.CallOptions) => Promise<Task.Task>
  /**
   * Opens a task, lets an agent work on it until it is done or has no steps left, closes it and scores it. Aborted, it
   * closes the task as `abandoned`.
   */
  readonly run: (agent: Agent, options: RunOptions & Calls.CallOptions) => Promise<TaskAudit>
  /** Goes on with a task that an earlier kernel left open; see `onOpenTasks`. Its agent has the same name. */
  readonly resume: (taskId: string, agent: Agent, options?: ResumeOptions & Calls.CallOptions) => Promise<TaskAudit>
  /** The open tasks that this kernel does not work on, oldest first. They can be resumed or cancelled. */
  readonly unfinished: (call?: Calls.CallOptions) => Promise<ReadonlyArray<UnfinishedTask>>
  /** Stops all work in all tasks and leaves them open in the log, so that a later kernel can resume them. */
  readonly suspend: (call?: Calls.CallOptions) => Promise<void>
  /** Pauses an open task: nothing new is begun in it until it is continued. What is under way is finished. */
  readonly pause: (taskId: string, options: ControlOptions & Calls.CallOptions) => Promise<Event>
  /** Continues a paused task. */
  readonly continue: (taskId: string, options: ControlOptions & Calls.CallOptions) => Promise<Event>
  /** Cancels an open task: what is under way is interrupted, and it is closed as `abandoned`. */
  readonly cancel: (taskId: string, options: ControlOptions & Calls.CallOptions) => Promise<Event>
  /** Cancels all open tasks, those of forks too. */
  readonly stop: (options: Omit<ControlOptions, "timeline"> & Calls.CallOptions) => Promise<ReadonlyArray<Event>>
}

/** The tasks of a kernel. */
export const tasksOf = ({ tasks }: Kernel.Service, control: TaskControl.Service, calls: Calls.Calls): Tasks => ({
  ...promised({ ...control, unfinished: tasks.unfinished, suspend: tasks.suspend }, calls),
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
