/** A running plugin that serves tasks, its options, and the errors of its start. */
import { Data, type Effect } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import type * as Manifest from "../../plugins/manifest/Manifest.ts"
import type { PluginUnavailable } from "../../plugins/PluginError.ts"
import type { Components } from "../../plugins/process/ComponentCalls.ts"
import type { PluginHost } from "../../plugins/process/PluginHost.ts"
import type { PluginError } from "../../plugins/process/PluginProcess.ts"
import type { Json } from "../../values/Json.ts"
import type { GateConfig } from "../gate/Gate.ts"
import type { CopyChanged, NotInRegistry, Registry } from "../registry/Registry.ts"
import type * as Supervision from "./Supervision.ts"

/** A running plugin as the kernel uses it. */
export interface Instance {
  readonly manifest: Manifest.Manifest
  readonly process: Components
  /** Runs an effect that uses the process. An update of the plugin waits for it before it stops the process. */
  readonly use: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** The process of a task's environment ended, so the environment's state is lost. */
export class WorldLost extends Data.TaggedError("WorldLost")<{ readonly plugin: string; readonly taskId: string }> {
  override get message() {
    return `The process that held ${this.plugin}'s world for task ${this.taskId} has ended; its state is gone. Close this task and open a new one.`
  }
}

/** Reasons why the kernel cannot call a plugin. */
export type InstanceError =
  | PluginError
  | PluginUnavailable
  | CopyChanged
  | NotInRegistry
  | WorldLost
  | Supervision.PluginInQuarantine
  | LogError

export interface InstancesOptions {
  readonly log: EventLog.Service
  readonly kernel: string
  readonly host: PluginHost.Service
  readonly registry: Registry.Service
  readonly workspace: string
  readonly directory: string
  readonly seed: number
  /** The gate, for its rules about host requests. Default: granted requests are allowed. */
  readonly gate?: GateConfig
  /** Handles pushed readings, one at a time for each process. Default: refuses them. */
  readonly onEmit?: (emitted: PushedReading) => Effect.Effect<unknown, unknown>
  /**
   * Milliseconds after which an idle process that serves all tasks stops. The next use starts it again, with empty
   * memory. A process with an environment never stops for this reason. Default: no limit.
   */
  readonly idleMs?: number
  /** Default: `Supervision.standard`. */
  readonly restarts?: Supervision.RestartPolicy
}

/** A reading that a sensor pushed. */
export interface PushedReading {
  readonly plugin: string
  readonly version: string
  readonly sensor: string
  /** `kernel`, or the id of the task that the process serves. */
  readonly instance: string
  readonly reading: Json
}

/** Makes a part of an uninterruptible command interruptible. */
export type Restore = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>

export const KERNEL = "kernel"
