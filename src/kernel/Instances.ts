import * as path from "node:path"
import { type Context, Data, Effect, ExecutionStrategy, Exit, Scope } from "effect"
import type { CoreNewEvent, EventLog, LogError } from "../events/EventLog.ts"
import * as Manifest from "../plugins/Manifest.ts"
import type { PluginError, PluginUnavailable } from "../plugins/PluginError.ts"
import type { PluginHost } from "../plugins/PluginHost.ts"
import type { PluginProcess } from "../plugins/PluginProcess.ts"
import * as Keyed from "../projections/Keyed.ts"
import type { PluginRegistry } from "../projections/PluginRegistry.ts"
import { manifestOf, NotInRegistry, type Registry } from "./Registry.ts"

/** A running plugin as the kernel uses it. */
export interface Instance {
  readonly manifest: Manifest.Manifest
  readonly process: PluginProcess
  /**
   * Runs commands one at a time, unless the plugin says that it is concurrent. `restore` makes waiting for the turn
   * interruptible, where the caller is not.
   */
  readonly inTurn: <A, E>(
    command: Effect.Effect<A, E>,
    restore: <A2, E2>(effect: Effect.Effect<A2, E2>) => Effect.Effect<A2, E2>,
  ) => Effect.Effect<A, E>
}

/** The process that held a task's world ended, and the world with it. */
export class WorldLost extends Data.TaggedError("WorldLost")<{ readonly plugin: string; readonly taskId: string }> {
  override get message() {
    return `The process that held ${this.plugin}'s world for task ${this.taskId} has ended; its state is gone. Close this task and open a new one.`
  }
}

export type InstanceError = PluginError | PluginUnavailable | NotInRegistry | WorldLost | LogError

/** What instances are made with. */
export interface InstancesOptions {
  readonly log: Context.Tag.Service<EventLog>
  readonly host: Context.Tag.Service<PluginHost>
  readonly registry: Context.Tag.Service<Registry>
  readonly workspace: string
  /** Where plugins' copies and Deno caches stand. */
  readonly directory: string
  readonly seed: number
}

/** Starts plugins when they are first needed, and keeps one process for each instance. */
export interface Instances {
  /**
   * The instance that serves a task: the task's own, in the task's scope, or the kernel's. An instance of the kernel's
   * whose process has ended is started again; a task's is not, for its world is lost.
   */
  readonly get: (plugin: string, registry: PluginRegistry, task: TaskPlace) => Effect.Effect<Instance, InstanceError>
}

/** A task, as far as instances care. */
export interface TaskPlace {
  readonly id: string
  readonly seed: number
  readonly scope: Scope.Scope
}

export const make = (options: InstancesOptions): Effect.Effect<Instances, never, Scope.Scope> =>
  Effect.map(Effect.scope, (kernelScope) => {
    const slots = new Map<string, Slot>()

    const slotOf = (plugin: string, instance: string): Slot => {
      const key = keyOf(plugin, instance)
      const slot = slots.get(key) ?? { starting: Effect.unsafeMakeSemaphore(1) }
      slots.set(key, slot)
      return slot
    }

    const get = (plugin: string, registry: PluginRegistry, task: TaskPlace) =>
      Effect.gen(function* () {
        const found = Keyed.get(registry, plugin)
        if (found === undefined) return yield* new NotInRegistry({ name: plugin, known: Object.keys(registry) })
        const { digest } = found
        const perTask = Manifest.instanceOf(manifestOf(found)) === "task"
        const slot = slotOf(plugin, perTask ? task.id : KERNEL)
        return yield* Effect.gen(function* () {
          const { running } = slot
          const alive = running !== undefined && !running.ended()
          if (alive && (perTask || running.digest === digest)) return running.instance
          if (running !== undefined && perTask) return yield* new WorldLost({ plugin, taskId: task.id })
          if (perTask) {
            const forget = Effect.sync(() => slots.delete(keyOf(plugin, task.id)))
            yield* Scope.addFinalizer(task.scope, forget)
            slot.running = yield* start(options, plugin, task.id, task.seed, task.scope)
          } else {
            // The one before is ended when it is no longer in the middle of a command.
            if (running !== undefined) yield* Effect.forkIn(running.retire, kernelScope)
            slot.running = yield* start(options, plugin, KERNEL, options.seed, kernelScope)
          }
          return slot.running.instance
        }).pipe(slot.starting.withPermits(1))
      })
    return { get }
  })

const keyOf = (plugin: string, instance: string): string => `${plugin}\0${instance}`

/** The instance that serves all tasks. */
const KERNEL = "kernel"

interface Running {
  readonly instance: Instance
  readonly digest: string
  /** Ends the process once no command of it is under way. */
  readonly retire: Effect.Effect<void>
  readonly ended: () => boolean
}

interface Slot {
  readonly starting: Effect.Semaphore
  running?: Running
}

/** Starts a process in a scope of its own, so that an update can end it before the scope it was started in does. */
const start = (
  { log, host, registry, workspace, directory }: InstancesOptions,
  plugin: string,
  instance: string,
  seed: number,
  parent: Scope.Scope,
): Effect.Effect<Running, InstanceError> =>
  Effect.gen(function* () {
    const { manifest, grants, digest, directory: copy } = yield* registry.installed(plugin)
    const metadata = yield* metadataOf(registry, plugin)
    const scope = yield* Scope.fork(parent, ExecutionStrategy.sequential)
    const denoDir = path.join(directory, `${manifest.name}.deno`)
    const record = recordAs(log, manifest, instance)
    // No plugin touches the log that it is judged by, or another plugin's copy, whatever it was granted.
    const file = path.resolve(log.name)
    const forbidden = [file, `${file}-wal`, `${file}-shm`, `${file}-journal`, directory]
    const running = yield* host
      .start({ manifest, directory: copy, grants, workspace, seed, instance, denoDir, metadata, record, forbidden })
      .pipe(
        Scope.extend(scope),
        // What did not start leaves nothing behind.
        Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit))),
      )
    let ended = false
    yield* Effect.forkIn(
      Effect.map(running.exited, () => {
        ended = true
      }),
      scope,
    )
    const turn = yield* Effect.makeSemaphore(1)
    return {
      instance: {
        manifest,
        process: running,
        inTurn: (command, restore) =>
          manifest.concurrent === true
            ? command
            : Effect.acquireUseRelease(
                restore(turn.take(1)),
                () => command,
                () => turn.release(1),
              ),
      },
      digest,
      retire: turn.withPermits(1)(Scope.close(scope, Exit.void)),
      ended: () => ended,
    }
  })

const metadataOf = (registry: Context.Tag.Service<Registry>, plugin: string) =>
  Effect.map(registry.state, (state) => {
    const found = Keyed.get(state, plugin)
    const components = Object.entries(found?.components ?? {}).map(([name, { metadata }]) => [name, metadata] as const)
    return { plugin: found?.metadata ?? {}, components: Object.fromEntries(components) }
  })

/** What a process reports goes into the log, or fails: what cannot be recorded is not done for a plugin. */
const recordAs =
  (log: Context.Tag.Service<EventLog>, manifest: Manifest.Manifest, instance: string) =>
  (event: CoreNewEvent, taskId?: string): ReturnType<typeof log.append> =>
    log.append({
      stream: `plugin/${manifest.name}`,
      taskId: taskId ?? (instance === KERNEL ? null : instance),
      actor: event.type === "PluginLogged" ? `plugin:${manifest.name}@${manifest.version}` : "kernel",
      events: [event],
    })
