/** The service through which a program runs, resumes, forks and replays tasks. */

import { Context, type Effect, type Scope } from "effect"
import type { LogError } from "../events/log/EventLog.ts"
import type * as TaskAudit from "../projections/audit/TaskAudit.ts"
import type * as Tasks from "../projections/state/Tasks.ts"
import type * as Agent from "./agents/Agent.ts"
import type { Completed, RunError, RunOptions } from "./agents/runAgent.ts"
import type * as Fork from "./fork/Fork.ts"
import type { Confirmations } from "./gate/Confirmations.ts"
import type * as PluginListeners from "./instances/PluginListeners.ts"
import type * as TaskQueue from "./queue/TaskQueue.ts"
import type { NotInRegistry, Registry } from "./registry/Registry.ts"
import type * as Replay from "./replay/Replay.ts"
import type * as TreeReplay from "./replay/trees/TreeReplay.ts"
import type * as Resume from "./resume/Resume.ts"
import type * as RolloutWorld from "./rollout/RolloutWorld.ts"
import type * as SearchWorld from "./rollout/SearchWorld.ts"
import type { Scoring } from "./scoring/Scoring.ts"
import type { KernelContext } from "./tasks/OpenTask.ts"
import type * as Task from "./tasks/Task.ts"
import type * as TaskOpening from "./tasks/TaskOpening.ts"

/** The kernel's service. */
export class Kernel extends Context.Tag("hindcast/Kernel")<Kernel, Kernel.Service>() {}

/** The type of the service: `Kernel.Service`. */
export declare namespace Kernel {
  /** A running kernel. */
  export interface Service {
    /** Imports plugins, changes their grants and priorities, and activates them. */
    readonly plugins: Registry.Service
    /** The consents that these plugins lack to start where only Deno's permissions would confine them; usually none. */
    readonly unconsented: KernelContext["unconsented"]
    readonly tasks: {
      /** Opens a task. Tasks run concurrently; each has its own environments. */
      readonly open: (options: Task.OpenOptions) => Effect.Effect<Task.Task, TaskOpening.OpenError>
      /** Opens a task, lets an agent work until it is done or out of steps, closes the task and scores it. */
      readonly run: (agent: Agent.Agent, options: RunOptions) => Effect.Effect<TaskAudit.TaskAudit, RunError>
      /** Like `run`, for a caller that needs no audit, which costs several reads. */
      readonly complete: (agent: Agent.Agent, options: RunOptions) => Effect.Effect<Completed, RunError>
      /**
       * Continues a task that an earlier kernel left open (see `onOpenTasks`). The agent must have the recorded name.
       */
      readonly resume: (
        taskId: string,
        agent: Agent.Agent,
        options?: Resume.ResumeOptions,
      ) => Effect.Effect<TaskAudit.TaskAudit, Resume.ResumeError>
      /**
       * Queues a task for the runners of the log: the first suitable one claims it. This kernel does not run it. Returns
       * once the log has it.
       */
      readonly submit: TaskQueue.TaskQueue.Service["submit"]
      /** Open tasks that this kernel does not work on, oldest first. They can be resumed or cancelled. */
      readonly unfinished: Effect.Effect<ReadonlyArray<UnfinishedTask>, LogError>
      /**
       * Stops all work and leaves every task open in the log for a later kernel to resume. This kernel then works on no
       * task.
       */
      readonly suspend: Effect.Effect<void>
      /** Whether the end of this kernel leaves open tasks for a later one (`onOpenTasks: "resume"`). */
      readonly keptOpen: boolean
    }
    /** Finds a listener of a plugin, which reads requests until the scope closes. See `Listener.serve`. */
    readonly listener: (
      plugin: string,
      listener: string,
    ) => Effect.Effect<
      PluginListeners.OpenedListener,
      NotInRegistry | PluginListeners.NoSuchListener | LogError,
      Scope.Scope
    >
    /** Continues a recorded task with an agent from a past position, on a timeline of its own. */
    readonly fork: (agent: Agent.Agent, options: Fork.ForkOptions) => Effect.Effect<Fork.Forked, Fork.ForkError>
    /** Runs an agent on a recorded task again. Everything it perceives comes from the log. */
    readonly replay: (
      taskId: string,
      agent: Agent.Agent,
      options?: Replay.ReplayOptions,
    ) => Effect.Effect<Replay.ReplayReport, Replay.ReplayError>
    /**
     * Replays a task and the tasks that its agents started. Agents of these tasks are found by name, among `agents` and
     * those that the program's tools call.
     */
    readonly replayTree: (
      taskId: string,
      agent: Agent.Agent,
      options?: TreeReplay.TreeReplayOptions,
    ) => Effect.Effect<TreeReplay.TreeReplay, Replay.ReplayError | TreeReplay.AgentNotGiven>
    /** Starts a world's process for a rollout, until the scope closes. See `Rollout` in `hindcast/worlds`. */
    readonly rolloutWorld: (
      options: RolloutWorld.RolloutWorldOptions,
    ) => Effect.Effect<RolloutWorld.RolloutWorld, RolloutWorld.RolloutWorldError, Scope.Scope>
    /** Starts a world's process for clones of an episode, until the scope closes. See `World.clone` in `hindcast/worlds`. */
    readonly searchWorld: (
      options: SearchWorld.SearchWorldOptions,
    ) => Effect.Effect<SearchWorld.SearchWorld, SearchWorld.SearchWorldError, Scope.Scope>
    /** Questions to people about commands, and their answers. */
    readonly confirmations: Confirmations.Service
    /** The audit of a task, open or closed. */
    readonly audit: (taskId: string) => Effect.Effect<TaskAudit.TaskAudit, TaskAudit.TaskNotFound | LogError>
    /** Scores past tasks with another rubric, as a new score set. */
    readonly rescore: Scoring.Service["rescore"]
    /** Completes when the judge (`KernelOptions.judge`) is done with all tasks that have closed by now. */
    readonly judged: Effect.Effect<void, LogError>
  }
}

/** Short form of `Kernel.Service` for namespace imports. */
export type Service = Kernel.Service

export interface UnfinishedTask extends Tasks.Task {
  readonly taskId: string
}
