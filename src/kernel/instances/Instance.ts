/** The instance of a plugin: what serves its components to tasks, what instances are made with, and what can go wrong. */
import { type Context, Data, type Effect } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import type * as Manifest from "../../plugins/manifest/Manifest.ts"
import type { PluginUnavailable } from "../../plugins/PluginError.ts"
import type { Components } from "../../plugins/process/Components.ts"
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
  /** Does something with the process that an update of the plugin waits for before it ends the process. */
  readonly use: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** The process that held a task's world ended, and the world with it. */
export class WorldLost extends Data.TaggedError("WorldLost")<{ readonly plugin: string; readonly taskId: string }> {
  override get message() {
    return `The process that held ${this.plugin}'s world for task ${this.taskId} has ended; its state is gone. Close this task and open a new one.`
  }
}

export type InstanceError =
  | PluginError
  | PluginUnavailable
  | CopyChanged
  | NotInRegistry
  | WorldLost
  | Supervision.PluginInQuarantine
  | LogError

/** What instances are made with. */
export interface InstancesOptions {
  readonly log: Context.Tag.Service<EventLog>
  readonly host: Context.Tag.Service<PluginHost>
  readonly registry: Context.Tag.Service<Registry>
  readonly workspace: string
  /** Where plugins' copies and Deno caches stand. */
  readonly directory: string
  readonly seed: number
  /** Its rules about requests to the host. Default: what is granted is done. */
  readonly gate?: GateConfig
  /** Takes the readings that sensors push; the next of one process waits until the one before was taken. Default: they are refused. */
  readonly onEmit?: (emitted: PushedReading) => Effect.Effect<unknown, unknown>
  /**
   * How long a process of the kernel's may go unused before it is stopped, in milliseconds; the next use starts it again,
   * and what it kept in memory is gone. One that holds a world is never stopped so. Default: none is.
   */
  readonly idleMs?: number
  /** When a plugin that crashed is started again. Default: `Supervision.standard`. */
  readonly restarts?: Supervision.Policy
}

/** A reading that a sensor pushed. */
export interface PushedReading {
  readonly plugin: string
  /** The plugin's version that runs. */
  readonly version: string
  /** The sensor's name within the plugin. */
  readonly sensor: string
  /** `kernel`, or the id of the task that the process serves. */
  readonly instance: string
  readonly reading: Json
}

/** Makes a part of a command interruptible: by itself, no part of it is. */
export type Restore = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>

/** The instance that serves all tasks. */
export const KERNEL = "kernel"
