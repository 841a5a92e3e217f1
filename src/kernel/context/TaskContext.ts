/**
 * An open task, for acting and sensing (see `ActingTask`, `SensingTask`), which do not depend on how a task is opened.
 */
import type { Effect, Scope } from "effect"
import type { HeldLease } from "../../events/log/Lease.ts"
import type { Recorder } from "../../events/log/Recorder.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { Plugin, PluginRegistry } from "../../projections/state/PluginRegistry.ts"
import type { Instance, InstanceError } from "../instances/Instance.ts"
import type { Registry } from "../registry/Registry.ts"

export interface TaskContext extends Recorder {
  readonly kernel: {
    readonly registry: Registry.Service
    readonly lease: HeldLease
  }
  readonly id: string
  /** Names the instances that serve this task alone: its id, or in a fork `id@timeline`. */
  readonly instanceName: string
  /** The id of its `TaskOpened` event, or of the event that forked it. */
  readonly openedBy: string
  readonly continued: Effect.Effect<void>
  readonly isPaused: () => boolean
  /** Applies events in the task's stream that other programs appended. */
  readonly noticed: (events: ReadonlyArray<Event>) => void
  /** Closes with the task and stops its plugin processes. */
  readonly scope: Scope.Scope
  readonly takesPart: (plugin: string) => boolean
  /** The instance that serves this task, in the plugin's version of `registry`. */
  readonly instance: (plugin: string, registry: PluginRegistry) => Effect.Effect<Instance, InstanceError>
  /** The same instance, if it runs and neither it nor its plugin's registry entry has changed. */
  readonly running: (plugin: string, found: Plugin) => Instance | undefined
}
