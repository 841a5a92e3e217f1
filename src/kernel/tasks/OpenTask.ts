/** The services that a kernel gives each task, and the internal view of an open task. */

import type { Effect, Scope } from "effect"
import type { AppendError, EventLog, LogError } from "../../events/log/EventLog.ts"
import type { HeldLease } from "../../events/log/Lease.ts"
import type { SandboxConsentMissing } from "../../plugins/sandbox/Consent.ts"
import type { ActingTask } from "../acting/ActingTask.ts"
import type { CommandQueue } from "../acting/queue/CommandQueue.ts"
import type { DraftTimelines } from "../context/DraftTimelines.ts"
import type { Critics } from "../critics/Critics.ts"
import type { ConfirmationAsking } from "../gate/Confirmations.ts"
import type { GateConfig } from "../gate/Gate.ts"
import type { Instances } from "../instances/Instances.ts"
import type { Registry } from "../registry/Registry.ts"
import type { PushedReadings } from "../sensing/PushedReadings.ts"
import type { SensingTask } from "../sensing/SensingTask.ts"
import type { InputArrivals } from "./InputArrivals.ts"
import type { RunningTasks } from "./RunningTasks.ts"

/** The services that every task of a kernel uses. */
export interface KernelContext {
  /** In a fork, a view of its timeline. */
  readonly log: EventLog.Service
  /** The forks that are being set up, and are not in the log yet. */
  readonly drafts: DraftTimelines
  readonly registry: Registry.Service
  /** Makes the critics that decide rewards, with plugins in the versions of a registry. */
  readonly critics: (registry: Registry.Service) => Critics.Service
  /** Asks people, on the timeline of `log`. */
  readonly confirmations: ConfirmationAsking
  readonly instances: Instances
  /** The consents that are missing to start these plugins where only Deno's permissions would confine them. */
  readonly unconsented: (
    plugins: ReadonlyArray<string>,
  ) => Effect.Effect<ReadonlyArray<SandboxConsentMissing>, LogError | AppendError>
  /** The queue in which the commands of all tasks wait. */
  readonly commands: CommandQueue
  readonly pushed: PushedReadings
  /** Tells of inputs, on all timelines. */
  readonly inputs: InputArrivals
  readonly gate: GateConfig
  readonly lease: HeldLease
  /** Whether tasks that are open when the kernel ends stay open in the log. */
  readonly keepsOpenTasks: boolean
  /** The tasks that are being worked on. */
  readonly running: RunningTasks
  /** Closes with the kernel. Each task has a scope of its own in it. */
  readonly scope: Scope.Scope
}

/** An open task, with everything that acting and sensing need. */
export interface OpenTask extends ActingTask, SensingTask {
  readonly kernel: KernelContext
  readonly seed: number
  /** The names of the agents that took part from the start, where it was several. */
  readonly agents: ReadonlyArray<string> | undefined
}
