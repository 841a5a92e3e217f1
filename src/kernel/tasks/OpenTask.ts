/** The services that a kernel gives each task, and the internal view of an open task. */

import type { Effect, Scope } from "effect"
import type { AppendError, CoreNewEvent, EventLog, LogError } from "../../events/log/EventLog.ts"
import type { HeldLease } from "../../events/log/Lease.ts"
import type { Recorder } from "../../events/log/Recorder.ts"
import type { UseBelow } from "../../events/vocabulary/Tasks.ts"
import type { SandboxConsentMissing } from "../../plugins/sandbox/Consent.ts"
import type { ActingTask } from "../acting/ActingTask.ts"
import type { ProgressReport } from "../acting/policies/Progress.ts"
import type { CommandQueue } from "../acting/queue/CommandQueue.ts"
import type { DraftTimelines } from "../context/DraftTimelines.ts"
import type { FileRecorder } from "../context/FileRecorder.ts"
import type { BelowOptions } from "../context/TasksBelow.ts"
import type { Critics } from "../critics/Critics.ts"
import type { ConfirmationAsking } from "../gate/Confirmations.ts"
import type { GateConfig } from "../gate/Gate.ts"
import type { Served } from "../instances/InstanceName.ts"
import type { Instances } from "../instances/Instances.ts"
import type { ModelPaces } from "../pacing/ModelPaces.ts"
import type { Registry } from "../registry/Registry.ts"
import type { PushedReadings } from "../sensing/PushedReadings.ts"
import type { SensingTask } from "../sensing/SensingTask.ts"
import type { InputArrivals } from "./InputArrivals.ts"
import type { RunningTasks } from "./RunningTasks.ts"

/** A kernel's services for its tasks. */
export interface KernelContext {
  /** In a fork, a view of its timeline. */
  readonly log: EventLog.Service
  /** The log for the appends of one task, which a runner's claim of it fences. Default: `log`. */
  readonly logOf?: ((taskId: string) => EventLog.Service) | undefined
  /** Forks in preparation, which are not in the log yet. */
  readonly drafts: DraftTimelines
  readonly registry: Registry.Service
  /** Makes the critics of rewards, with plugins in the versions of a registry. */
  readonly critics: (registry: Registry.Service) => Critics.Service
  /** Asks people, on the timeline of `log`. */
  readonly confirmations: ConfirmationAsking
  readonly instances: Instances
  /** The missing consents of plugins that only Deno's permissions would confine. */
  readonly unconsented: (
    plugins: ReadonlyArray<string>,
  ) => Effect.Effect<ReadonlyArray<SandboxConsentMissing>, LogError | AppendError>
  /** The queue of all tasks' commands. */
  readonly commands: CommandQueue
  /** The paces at which all tasks ask models. */
  readonly paces: ModelPaces
  /** Receives the progress of calls. Default: nobody does. */
  readonly onProgress?: ((progress: ProgressReport) => void) | undefined
  /** Whether a recording answers instead of plugins. Default: no. */
  readonly answersRecorded?: boolean | undefined
  readonly pushed: PushedReadings
  /** Tells of inputs, on all timelines. */
  readonly inputs: InputArrivals
  readonly gate: GateConfig
  readonly lease: HeldLease
  /** Undefined if no files are recorded. */
  readonly files: FileRecorder | undefined
  /** Open tasks stay open in the log when the kernel ends. */
  readonly keepsOpenTasks: boolean
  readonly running: RunningTasks
  /** Ends the open children of a task that has ended. */
  readonly endChildren: (ended: Served) => Effect.Effect<void, AppendError>
  /** The use of the tasks that a program started below one; undefined without any. */
  readonly below: (place: Served, options?: BelowOptions) => Effect.Effect<UseBelow | undefined, LogError>
  /** Closes with the kernel. Each task has a scope of its own in it. */
  readonly scope: Scope.Scope
}

/** An open task with the members that acting and sensing need. */
export interface OpenTask extends ActingTask, SensingTask {
  readonly kernel: KernelContext
  readonly seed: number
  /**
   * Records an event in the commit of the task's next event, for work that continues at once, and returns its id. If new
   * work would wait, or if the event may be invalid, records it now.
   *
   * @param by whose event it is. Default: the kernel's
   */
  readonly recordSoon: (event: CoreNewEvent, by?: Recorder) => Effect.Effect<string, AppendError>
  /** The names of the agents at the start, if there are several. */
  readonly agents: ReadonlyArray<string> | undefined
}
