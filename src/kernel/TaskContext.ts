import type { Context, Effect, Scope } from "effect"
import type { AppendError, EventLog, LogError } from "../events/EventLog.ts"
import type { Json } from "../events/Json.ts"
import type { HeldLease } from "../events/Lease.ts"
import type { SandboxConsentMissing } from "../plugins/sandbox/Consent.ts"
import type { PluginRegistry } from "../projections/PluginRegistry.ts"
import type { Confirmations } from "./Confirmations.ts"
import type { Critics } from "./Critics.ts"
import type { GateConfig } from "./Gate.ts"
import type { Instance, InstanceError, Instances } from "./Instances.ts"
import type { Pushed } from "./Pushed.ts"
import type { Recorder } from "./Recorder.ts"
import type { Registry } from "./Registry.ts"
import type { CommandQueue } from "./scheduling/CommandQueue.ts"

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
  readonly pushed: Pushed
  readonly gate: GateConfig
  readonly lease: HeldLease
  /** Closes with the kernel; each task has a scope of its own in it. */
  readonly scope: Scope.Scope
}

/** An open task, as perceiving and acting see it. */
export interface TaskContext extends Recorder {
  readonly kernel: KernelContext
  readonly id: string
  /** The name of its plugins' instances: the task's id, or one of their own in a fork. */
  readonly place: string
  readonly seed: number
  /** The id of its `TaskOpened`, or of the event that forked it. */
  readonly openedBy: string
  /** Closes with the task: its plugins' processes end with it. */
  readonly scope: Scope.Scope
  readonly takesPart: (plugin: string) => boolean
  /** The instance of a plugin that serves this task, as the registry has the plugin now. */
  readonly instance: (plugin: string, registry: PluginRegistry) => Effect.Effect<Instance, InstanceError>
  /** The number of the perceiving that begins now: what it reads is recorded with it. */
  readonly nextPerception: () => number
  /** Lets one reading of a sensor at a time be under way, by `plugin/sensor`. */
  readonly oneAtATime: <A, E>(sensor: string, reading: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Lets one at a time compare, record and keep what a command changed in the world: in the order of the answers. */
  readonly inOrder: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** The last known document of each environment, by plugin. */
  readonly documents: Map<string, Json>
}
