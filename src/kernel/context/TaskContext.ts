/**
 * An open task, as every room sees it that works in one. What acting and sensing need beyond it, they declare themselves
 * (`ActingTask`, `SensingTask`), so that neither depends on how a task is opened.
 */
import type { Context, Effect, Scope } from "effect"
import type { HeldLease } from "../../events/log/Lease.ts"
import type { Recorder } from "../../events/log/Recorder.ts"
import type { PluginRegistry } from "../../projections/state/PluginRegistry.ts"
import type { Instance, InstanceError } from "../instances/Instance.ts"
import type { Registry } from "../registry/Registry.ts"

export interface TaskContext extends Recorder {
  readonly kernel: {
    readonly registry: Context.Tag.Service<Registry>
    readonly lease: HeldLease
  }
  readonly id: string
  /** The name of its plugins' instances: the task's id, or one of their own in a fork. */
  readonly place: string
  /** The id of its `TaskOpened`, or of the event that forked it. */
  readonly openedBy: string
  /** Closes with the task: its plugins' processes end with it. */
  readonly scope: Scope.Scope
  readonly takesPart: (plugin: string) => boolean
  /** The instance of a plugin that serves this task, as the registry has the plugin now. */
  readonly instance: (plugin: string, registry: PluginRegistry) => Effect.Effect<Instance, InstanceError>
}
