import { Effect, Schema, Scope } from "effect"
import * as Grants from "../../plugins/manifest/Grants.ts"
import * as Manifest from "../../plugins/manifest/Manifest.ts"
import type { Plugin, PluginRegistry } from "../../projections/state/PluginRegistry.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { manifestOf, NotInRegistry } from "../registry/Registry.ts"
import {
  type Instance,
  type InstanceError,
  type InstancesOptions,
  KERNEL,
  type Restore,
  WorldLost,
} from "./Instance.ts"
import * as ManagedProcess from "./ManagedProcess.ts"
import * as Supervision from "./Supervision.ts"

export { KERNEL } from "./Instance.ts"

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
  /** The name of the instances that serve it alone. */
  readonly place: string
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

    const start = (plugin: string, found: Plugin, place: ManagedProcess.InstanceScope, restore: Restore) =>
      ManagedProcess.start(options, supervisor, plugin, found, place, restore)

    const startForTask = (slot: Slot, plugin: string, found: Plugin, task: TaskPlace, restore: Restore) =>
      Effect.gen(function* () {
        const { id, place, seed, scope } = task
        if (slot.running !== undefined) {
          // It may hold what was taken back meanwhile.
          yield* Effect.forkIn(slot.running.retire, kernelScope)
          return yield* new WorldLost({ plugin, taskId: id })
        }
        yield* Scope.addFinalizer(
          scope,
          Effect.sync(() => slots.delete(keyOf(plugin, place))),
        )
        return yield* start(plugin, found, { instance: place, seed, scope }, restore)
      })

    const startForKernel = (slot: Slot, plugin: string, found: Plugin, restore: Restore) =>
      Effect.gen(function* () {
        // The one before is ended when it is no longer in the middle of a command.
        if (slot.running !== undefined) yield* Effect.forkIn(slot.running.retire, kernelScope)
        yield* retireOthers(plugin)
        const place = { instance: KERNEL, seed, scope: kernelScope }
        const running = yield* start(plugin, found, place, restore)
        const holdsWorld = running.instance.manifest.peas.environment !== undefined
        if (idleMs !== undefined && !holdsWorld) yield* Effect.forkIn(stopWhenIdle(slot, running, idleMs), kernelScope)
        return running
      })

    /** A version stays while a task uses it that began with it; an earlier one ends with the last of them. */
    const servesWhileOpen = (slot: Slot, plugin: string, { place, scope }: TaskPlace) => {
      if (slot.tasks.has(place)) return Effect.void
      slot.tasks.add(place)
      const forget = Effect.sync(() => slot.tasks.delete(place))
      return Scope.addFinalizer(scope, Effect.zipRight(forget, retireOthers(plugin)))
    }

    /** Ends the kernel's processes of versions that are neither installed nor used by a task. */
    const retireOthers = (plugin: string) =>
      Effect.gen(function* () {
        const installed = SafeRecord.get(yield* registry.state, plugin)
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
        const found = SafeRecord.get(registry, plugin)
        if (found === undefined) return new NotInRegistry({ name: plugin, known: Object.keys(registry) })
        const perTask = Manifest.instanceOf(manifestOf(found)) === "task"
        const slot = slotOf(plugin, perTask ? task.place : versionOf(found))
        const serves = perTask ? Effect.void : servesWhileOpen(slot, plugin, task)
        // Whoever stops waiting leaves no process behind that nobody knows of.
        const serving = Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const { running } = slot
            const may = perTask ? mayNoMore : mayTheSame
            const fits = running !== undefined && !running.ended() && may(running.described, found)
            const serving = fits
              ? running
              : yield* perTask
                  ? startForTask(slot, plugin, found, task, restore)
                  : startForKernel(slot, plugin, found, restore)
            slot.running = serving
            slot.askedAt = performance.now()
            yield* ManagedProcess.describe(serving, found)
            return serving.instance
          }),
        ).pipe(slot.starting.withPermits(1))
        return Effect.zipRight(serves, serving)
      })
    return { get }
  })

const keyOf = (plugin: string, instance: string): string => `${plugin}\0${instance}`

/** The kernel's slot for one version of a plugin: tasks that began with different ones each go on with theirs. */
const versionOf = ({ digest }: Plugin): string => `${KERNEL}@${digest}`

/** A process of the kernel's is started again for other grants. */
const mayTheSame = (has: Plugin, found: Plugin): boolean =>
  has.grants === found.grants || JSON.stringify(has.grants) === JSON.stringify(found.grants)

/** One that holds a task's world is not, but ends where it has what was taken back. */
const mayNoMore = (has: Plugin, found: Plugin): boolean =>
  has.grants === found.grants ||
  (isGrants(has.grants) && isGrants(found.grants) && Grants.covers(found.grants, has.grants))

const isGrants = Schema.is(Grants.Grants)

interface Slot {
  readonly starting: Effect.Semaphore
  /** The open tasks that a process of the kernel's has served. */
  readonly tasks: Set<string>
  running?: ManagedProcess.ManagedProcess
  /** When somebody last asked for the instance, by `performance.now`. */
  askedAt: number
}

/** Ends a process of the kernel's once nobody has used it for so long. */
const stopWhenIdle = (slot: Slot, running: ManagedProcess.ManagedProcess, idleMs: number): Effect.Effect<void> => {
  /** Milliseconds until it will have been idle for long enough, if nothing happens. */
  const left = () => {
    const since = running.process.idleSince()
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
    Effect.interruptible,
  )
}

/** Between two looks at a process that was in use when its time was up. */
const SHORTEST_SLEEP_MS = 10
