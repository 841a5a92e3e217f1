/** What a kernel gives every task, and an open task as its own room sees it. */

import type { Context, Effect, Scope } from "effect"
import type { AppendError, EventLog, LogError } from "../../events/log/EventLog.ts"
import type { HeldLease } from "../../events/log/Lease.ts"
import type { SandboxConsentMissing } from "../../plugins/sandbox/Consent.ts"
import type { ActingTask } from "../acting/ActingTask.ts"
import type { CommandQueue } from "../acting/CommandQueue.ts"
import type { Critics } from "../critics/Critics.ts"
import type { Confirmations } from "../gate/Confirmations.ts"
import type { GateConfig } from "../gate/Gate.ts"
import type { Instances } from "../instances/Instances.ts"
import type { Registry } from "../registry/Registry.ts"
import type { PushedReadings } from "../sensing/PushedReadings.ts"
import type { SensingTask } from "../sensing/SensingTask.ts"

/** What every task of a kernel works with. */
export interface KernelContext {
  /** In a fork, a view of its timeline. */
  readonly log: Context.Tag.Service<EventLog>
  readonly registry: Context.Tag.Service<Registry>
  /** Those who decide rewards, with plugins in the versions that a registry has. */
  readonly critics: (registry: Context.Tag.Service<Registry>) => Context.Tag.Service<Critics>
  readonly confirmations: Context.Tag.Service<Confirmations>
  readonly instances: Instances
  /** What is missing to start these plugins where nothing but Deno's permissions would confine them. */
  readonly unconsented: (
    plugins: ReadonlyArray<string>,
  ) => Effect.Effect<ReadonlyArray<SandboxConsentMissing>, LogError | AppendError>
  /** Where the commands of all tasks wait for their turns. */
  readonly commands: CommandQueue
  readonly pushed: PushedReadings
  readonly gate: GateConfig
  readonly lease: HeldLease
  /** Closes with the kernel; each task has a scope of its own in it. */
  readonly scope: Scope.Scope
}

/** An open task, with all that the rooms that work in it need. */
export interface OpenTask extends ActingTask, SensingTask {
  readonly kernel: KernelContext
  readonly seed: number
}
