import * as path from "node:path"
import { type Context, Data, Effect, ExecutionStrategy, Exit, identity, Scope } from "effect"
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
  /** Runs commands one at a time, unless the plugin says that it is concurrent. */
  readonly inTurn: <A, E, R>(command: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
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
  /** Where each plugin's Deno cache stands. */
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
          if (running !== undefined) yield* Scope.close(running.scope, Exit.void)
          const [instance, seed, scope] = perTask
            ? ([task.id, task.seed, task.scope] as const)
            : ([KERNEL, options.seed, kernelScope] as const)
          slot.running = yield* start(options, plugin, digest, instance, seed, scope)
          yield* Scope.addFinalizer(
            scope,
            Effect.sync(() => slots.delete(keyOf(plugin, instance))),
          )
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
  readonly scope: Scope.CloseableScope
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
  digest: string,
  instance: string,
  seed: number,
  parent: Scope.Scope,
): Effect.Effect<Running, InstanceError> =>
  Effect.gen(function* () {
    const installed = yield* registry.installed(plugin)
    const { manifest, grants } = installed
    const scope = yield* Scope.fork(parent, ExecutionStrategy.sequential)
    const running = yield* host
      .start({
        manifest,
        directory: installed.directory,
        grants,
        workspace,
        seed,
        instance,
        denoDir: path.join(directory, `${manifest.name}.deno`),
        metadata: yield* metadataOf(registry, plugin),
        record: recordAs(log, manifest, instance),
      })
      .pipe(Scope.extend(scope))
    let ended = false
    yield* Effect.forkIn(
      Effect.map(running.exited, () => {
        ended = true
      }),
      scope,
    )
    const turn = yield* Effect.makeSemaphore(1)
    return {
      instance: { manifest, process: running, inTurn: manifest.concurrent === true ? identity : turn.withPermits(1) },
      digest,
      scope,
      ended: () => ended,
    }
  })

const metadataOf = (registry: Context.Tag.Service<Registry>, plugin: string) =>
  Effect.map(registry.state, (state) => {
    const found = Keyed.get(state, plugin)
    const components = Object.entries(found?.components ?? {}).map(([name, { metadata }]) => [name, metadata] as const)
    return { plugin: found?.metadata ?? {}, components: Object.fromEntries(components) }
  })

/** What a process reports goes into the log. Where the log refuses it, it is at least said on the error output. */
const recordAs =
  (log: Context.Tag.Service<EventLog>, manifest: Manifest.Manifest, instance: string) =>
  (event: CoreNewEvent, taskId?: string): Effect.Effect<void> =>
    log
      .append({
        stream: `plugin/${manifest.name}`,
        taskId: taskId ?? (instance === KERNEL ? null : instance),
        actor: event.type === "PluginLogged" ? `plugin:${manifest.name}@${manifest.version}` : "kernel",
        events: [event],
      })
      .pipe(
        Effect.asVoid,
        Effect.catchAllCause((cause) => Effect.logError(`${event.type} of ${manifest.name} was not recorded`, cause)),
      )
