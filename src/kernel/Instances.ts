import * as path from "node:path"
import { type Context, Data, Effect, ExecutionStrategy, Exit, Option, Scope } from "effect"
import type { CoreNewEvent, EventLog, LogError } from "../events/EventLog.ts"
import type { Json } from "../events/Json.ts"
import * as Manifest from "../plugins/Manifest.ts"
import type { PluginError, PluginUnavailable } from "../plugins/PluginError.ts"
import type { PluginHost } from "../plugins/PluginHost.ts"
import type { PluginProcess } from "../plugins/PluginProcess.ts"
import type { ProcessExit } from "../plugins/process/Session.ts"
import * as Keyed from "../projections/Keyed.ts"
import type { Plugin, PluginRegistry } from "../projections/PluginRegistry.ts"
import { manifestOf, NotInRegistry, type Registry } from "./Registry.ts"
import * as Supervision from "./Supervision.ts"

/** A running plugin as the kernel uses it. */
export interface Instance {
  readonly manifest: Manifest.Manifest
  readonly process: PluginProcess
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
  /** Takes the readings that sensors push; the next of one process waits until the one before was taken. Default: they are refused. */
  readonly onEmit?: (emitted: Emitted) => Effect.Effect<unknown, unknown>
  /**
   * How long a process of the kernel's may go unused before it is stopped, in milliseconds; the next use starts it again,
   * and what it kept in memory is gone. One that holds a world is never stopped so. Default: none is.
   */
  readonly idleMs?: number
  /** When a plugin that crashed is started again. Default: `Supervision.standard`. */
  readonly restarts?: Supervision.Policy
}

/** A reading that a sensor pushed. */
export interface Emitted {
  readonly plugin: string
  /** The plugin's version that runs. */
  readonly version: string
  /** The sensor's name within the plugin. */
  readonly sensor: string
  /** `kernel`, or the id of the task that the process serves. */
  readonly instance: string
  readonly reading: Json
}

/** Starts plugins when they are first needed, and keeps one process for each instance. */
export interface Instances {
  /**
   * The instance that serves a task: the task's own, in the task's scope, or the kernel's. An instance of the kernel's
   * whose process has ended is started again, later and later the more often it crashes, until the plugin is
   * quarantined; a task's is not, for its world is lost.
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
    const { log, registry, restarts, idleMs, seed } = options
    const supervisor = Supervision.make({ log, registry, ...(restarts === undefined ? {} : { policy: restarts }) })
    const slots = new Map<string, Slot>()

    const slotOf = (plugin: string, instance: string): Slot => {
      const key = keyOf(plugin, instance)
      const slot = slots.get(key) ?? { starting: Effect.unsafeMakeSemaphore(1), tasks: new Set(), askedAt: 0 }
      slots.set(key, slot)
      return slot
    }

    const start = (plugin: string, found: Plugin, place: Place) =>
      Effect.zipRight(supervisor.admit(plugin), startProcess(options, supervisor, plugin, found, place))

    const startForTask = (slot: Slot, plugin: string, found: Plugin, { id, seed, scope }: TaskPlace) =>
      Effect.gen(function* () {
        if (slot.running !== undefined) return yield* new WorldLost({ plugin, taskId: id })
        yield* Scope.addFinalizer(
          scope,
          Effect.sync(() => slots.delete(keyOf(plugin, id))),
        )
        return yield* start(plugin, found, { instance: id, seed, scope })
      })

    const startForKernel = (slot: Slot, plugin: string, found: Plugin) =>
      Effect.gen(function* () {
        // The one before is ended when it is no longer in the middle of a command.
        if (slot.running !== undefined) yield* Effect.forkIn(slot.running.retire, kernelScope)
        yield* retireOthers(plugin)
        const running = yield* start(plugin, found, { instance: KERNEL, seed, scope: kernelScope })
        const holdsWorld = running.instance.manifest.peas.environment !== undefined
        if (idleMs !== undefined && !holdsWorld) yield* Effect.forkIn(stopWhenIdle(slot, running, idleMs), kernelScope)
        return running
      })

    /** A version stays while a task uses it that began with it; an earlier one ends with the last of them. */
    const servesWhileOpen = (slot: Slot, plugin: string, { id, scope }: TaskPlace) => {
      if (slot.tasks.has(id)) return Effect.void
      slot.tasks.add(id)
      const forget = Effect.sync(() => slot.tasks.delete(id))
      return Scope.addFinalizer(scope, Effect.zipRight(forget, retireOthers(plugin)))
    }

    /** Ends the kernel's processes of versions that are neither installed nor used by a task. */
    const retireOthers = (plugin: string) =>
      Effect.gen(function* () {
        const installed = Keyed.get(yield* registry.state, plugin)
        const current = installed === undefined ? undefined : keyOf(plugin, versionOf(installed))
        for (const [key, slot] of slots) {
          const isOther = key !== current && key.startsWith(keyOf(plugin, `${KERNEL}@`))
          if (!isOther || slot.tasks.size > 0) continue
          slots.delete(key)
          if (slot.running !== undefined) yield* Effect.forkIn(slot.running.retire, kernelScope)
        }
        // A log that cannot be read fails whatever comes next; the processes end with the kernel.
      }).pipe(Effect.ignore)

    const get = (plugin: string, registry: PluginRegistry, task: TaskPlace) =>
      Effect.suspend(() => {
        const found = Keyed.get(registry, plugin)
        if (found === undefined) return new NotInRegistry({ name: plugin, known: Object.keys(registry) })
        const perTask = Manifest.instanceOf(manifestOf(found)) === "task"
        const slot = slotOf(plugin, perTask ? task.id : versionOf(found))
        const serves = perTask ? Effect.void : servesWhileOpen(slot, plugin, task)
        const serving = Effect.gen(function* () {
          const { running } = slot
          const fits = running !== undefined && !running.ended() && (perTask || mayTheSame(running.described, found))
          const serving = fits
            ? running
            : yield* perTask ? startForTask(slot, plugin, found, task) : startForKernel(slot, plugin, found)
          slot.running = serving
          slot.askedAt = performance.now()
          yield* describe(serving, found)
          return serving.instance
        }).pipe(slot.starting.withPermits(1))
        return Effect.zipRight(serves, serving)
      })
    return { get }
  })

const keyOf = (plugin: string, instance: string): string => `${plugin}\0${instance}`

/** The instance that serves all tasks. */
export const KERNEL = "kernel"

/** The kernel's slot for one version of a plugin: tasks that began with different ones each go on with theirs. */
const versionOf = ({ digest }: Plugin): string => `${KERNEL}@${digest}`

const mayTheSame = (a: Plugin, b: Plugin): boolean =>
  a.grants === b.grants || JSON.stringify(a.grants) === JSON.stringify(b.grants)

/** Whom a process serves, and how long. */
interface Place {
  readonly instance: string
  readonly seed: number
  readonly scope: Scope.Scope
}

interface Running {
  readonly instance: Instance
  /** The plugin as the process was last told of its metadata. */
  described: Plugin
  readonly digest: string
  /** Ends the process once nobody uses it. */
  readonly retire: Effect.Effect<void>
  /** Ends the process if nobody uses it now; says whether it did. */
  readonly retireIfUnused: Effect.Effect<boolean>
  readonly ended: () => boolean
}

interface Slot {
  readonly starting: Effect.Semaphore
  /** The open tasks that a process of the kernel's has served. */
  readonly tasks: Set<string>
  running?: Running
  /** When somebody last asked for the instance, by `performance.now`. */
  askedAt: number
}

/** Ends a process of the kernel's once nobody has used it for so long. */
const stopWhenIdle = (slot: Slot, running: Running, idleMs: number): Effect.Effect<void> => {
  /** Milliseconds until it will have been idle for long enough, if nothing happens. */
  const left = () => {
    const since = running.instance.process.idleSince()
    return since === undefined ? idleMs : Math.max(since, slot.askedAt) + idleMs - performance.now()
  }
  const stop = Effect.suspend(() => {
    if (slot.running !== running || running.ended()) return Effect.succeed(true)
    if (left() > 0) return Effect.succeed(false)
    return Effect.tap(running.retireIfUnused, (retired) => {
      if (retired) delete slot.running
    })
  }).pipe(slot.starting.withPermits(1), Effect.uninterruptible)
  return Effect.suspend(() => Effect.sleep(Math.max(left(), SHORTEST_SLEEP_MS))).pipe(
    Effect.zipRight(stop),
    Effect.repeat({ until: (stopped) => stopped }),
  )
}

/** Between two looks at a process that was in use when its time was up. */
const SHORTEST_SLEEP_MS = 10

/** Starts a process in a scope of its own, so that it can be ended before the scope it was started in is. */
const startProcess = (
  { log, host, registry, workspace, directory, onEmit }: InstancesOptions,
  supervisor: Supervision.Supervisor,
  plugin: string,
  described: Plugin,
  { instance, seed, scope: parent }: Place,
): Effect.Effect<Running, InstanceError> =>
  Effect.gen(function* () {
    const { manifest, grants, digest, directory: copy } = yield* registry.installed(plugin, described)
    const metadata = metadataOf(described)
    const scope = yield* Scope.fork(parent, ExecutionStrategy.sequential)
    const denoDir = path.join(directory, `${manifest.name}.deno`)
    const record = recordAs(log, manifest, instance)
    // No plugin touches the log that it is judged by, or another plugin's copy, whatever it was granted.
    const file = path.resolve(log.name)
    const besides = ["", "-wal", "-shm", "-journal", ".segments", ".keys", ".keys-wal", ".keys-shm", ".keys-journal"]
    const forbidden = [...besides.map((ending) => `${file}${ending}`), directory]
    const pushed = (sensor: string, reading: Json) =>
      onEmit === undefined ? Effect.void : onEmit({ plugin, version: manifest.version, sensor, instance, reading })
    const spec = { manifest, directory: copy, grants, workspace, seed, instance, denoDir, metadata, record, forbidden }
    const running = yield* host.start({ ...spec, ...(onEmit === undefined ? {} : { onEmit: pushed }) }).pipe(
      Scope.extend(scope),
      // What did not start leaves nothing behind.
      Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit))),
      Effect.tapError((error) =>
        error._tag === "PluginFailedToLoad" || error._tag === "ExportsDisagree"
          ? supervisor.crashed(plugin, error.message)
          : Effect.void,
      ),
    )
    let ended = false
    // Closing the scope interrupts this first: what ends while it is still listened to was not asked to.
    yield* Effect.forkIn(
      Effect.flatMap(running.exited, (exit) => {
        ended = true
        return supervisor.crashed(plugin, describeExit(exit))
      }),
      scope,
    )
    const uses = yield* Effect.makeSemaphore(USES)
    const close = Scope.close(scope, Exit.void)
    return {
      instance: { manifest, process: running, use: uses.withPermits(1) },
      described,
      digest,
      retire: uses.withPermits(USES)(close),
      retireIfUnused: Effect.map(uses.withPermitsIfAvailable(USES)(close), Option.isSome),
      ended: () => ended,
    }
  })

const describeExit = ({ code, signal, reason, inFlight }: ProcessExit): string => {
  const how = signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`
  const during = inFlight.length === 0 ? "" : ` during ${inFlight.slice(0, 3).join(", ")}`
  return `${how}${during}${reason === undefined ? "" : ` (${reason})`}`
}

/** More than use a process at the same time: a permit for each of them, and all of them for whoever ends it. */
const USES = 1_000_000

const metadataOf = ({ metadata, components }: Plugin) => ({
  plugin: metadata,
  components: Object.fromEntries(Object.entries(components).map(([name, { metadata }]) => [name, metadata])),
})

/** Tells a process what has changed in its metadata since it was last told. */
const describe = (running: Running, now: Plugin): Effect.Effect<void> => {
  const { metadata, components } = running.described
  running.described = now
  // The registry shares what an event did not change.
  return metadata === now.metadata && components === now.components
    ? Effect.void
    : running.instance.process.setMetadata(metadataOf(now))
}

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
