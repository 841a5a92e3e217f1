/** Starts plugin processes on demand, and shares or replaces them. */

import { Effect, Schema, Scope } from "effect"
import * as Grants from "../../plugins/manifest/Grants.ts"
import * as Manifest from "../../plugins/manifest/Manifest.ts"
import type { Plugin, PluginRegistry } from "../../projections/state/PluginRegistry.ts"
import { defined } from "../../values/defined.ts"
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

/** Starts a plugin when it is first needed, with one process for each instance. */
export interface Instances {
  /**
   * The instance that serves a task: one of its own, in the task's scope, or the shared one. A crashed shared instance
   * restarts with a growing back-off, until its plugin enters quarantine. A task's own instance does not restart,
   * because its environment is lost.
   */
  readonly get: (
    plugin: string,
    registry: PluginRegistry,
    task: RequestingTask,
  ) => Effect.Effect<Instance, InstanceError>
  /** The same instance, if it runs, serves the task already, and neither it nor its grants have changed since. */
  readonly running: (plugin: string, found: Plugin, task: RequestingTask) => Instance | undefined
}

/** The task that needs an instance. */
export interface RequestingTask {
  readonly id: string
  readonly instanceName: string
  readonly seed: number
  readonly scope: Scope.Scope
}

export const make = (options: InstancesOptions): Effect.Effect<Instances, never, Scope.Scope> =>
  Effect.map(Effect.scope, (kernelScope) => {
    const { log, registry, restarts, idleMs, seed } = options
    const supervisor = Supervision.make({ log, registry, ...defined({ policy: restarts }) })
    const slots = new Map<string, Slot>()

    const slotOf = (plugin: string, instance: string): Slot => {
      const key = keyOf(plugin, instance)
      const slot = slots.get(key) ?? { starting: Effect.unsafeMakeSemaphore(1), tasks: new Set(), requestedAt: 0 }
      slots.set(key, slot)
      return slot
    }

    const start = (plugin: string, found: Plugin, instanceScope: ManagedProcess.InstanceScope, restore: Restore) =>
      ManagedProcess.start(options, supervisor, plugin, found, instanceScope, restore)

    const startForTask = (slot: Slot, plugin: string, found: Plugin, task: RequestingTask, restore: Restore) =>
      Effect.gen(function* () {
        const { id, instanceName, seed, scope } = task
        if (slot.running !== undefined) {
          yield* Effect.forkIn(slot.running.retire, kernelScope)
          return yield* new WorldLost({ plugin, taskId: id })
        }
        yield* Scope.addFinalizer(
          scope,
          Effect.sync(() => slots.delete(keyOf(plugin, instanceName))),
        )
        return yield* start(plugin, found, { instance: instanceName, seed, scope }, restore)
      })

    const startForKernel = (slot: Slot, plugin: string, found: Plugin, restore: Restore) =>
      Effect.gen(function* () {
        if (slot.running !== undefined) yield* Effect.forkIn(slot.running.retire, kernelScope)
        yield* retireUnusedVersions(plugin)
        const instanceScope = { instance: KERNEL, seed, scope: kernelScope }
        const running = yield* start(plugin, found, instanceScope, restore)
        const holdsWorld = running.instance.manifest.peas.environment !== undefined
        if (idleMs !== undefined && !holdsWorld) yield* Effect.forkIn(stopWhenIdle(slot, running, idleMs), kernelScope)
        return running
      })

    /**
     * Keeps a plugin's version running while a task of that version is open. The last such task stops an earlier
     * version.
     */
    const keepWhileOpen = (slot: Slot, plugin: string, { instanceName, scope }: RequestingTask) => {
      if (slot.tasks.has(instanceName)) return Effect.void
      slot.tasks.add(instanceName)
      const forget = Effect.sync(() => slot.tasks.delete(instanceName))
      return Scope.addFinalizer(scope, Effect.zipRight(forget, retireUnusedVersions(plugin)))
    }

    /** Stops the shared processes of versions that are neither installed nor used by a task. */
    const retireUnusedVersions = (plugin: string) =>
      Effect.gen(function* () {
        const installed = SafeRecord.get(yield* registry.state, plugin)
        const current = installed === undefined ? undefined : keyOf(plugin, versionOf(installed))
        for (const [key, slot] of slots) {
          const isOther = key !== current && key.startsWith(keyOf(plugin, `${KERNEL}@`))
          if (!isOther || slot.tasks.size > 0) continue
          slots.delete(key)
          if (slot.running !== undefined) yield* Effect.forkIn(slot.running.retire, kernelScope)
        }
        // If the log is unreadable, the next operation fails too, and the processes stop with the kernel.
      }).pipe(Effect.ignore)

    const runningFor: Instances["running"] = (plugin, found, task) => {
      const perTask = Manifest.instanceOf(manifestOf(found)) === "task"
      const slot = slots.get(keyOf(plugin, perTask ? task.instanceName : versionOf(found)))
      if (slot?.running === undefined || slot.running.ended() || slot.running.described !== found) return undefined
      if (!perTask && !slot.tasks.has(task.instanceName)) return undefined
      slot.requestedAt = performance.now()
      return slot.running.instance
    }

    const get = (plugin: string, registry: PluginRegistry, task: RequestingTask) =>
      Effect.suspend(() => {
        const found = SafeRecord.get(registry, plugin)
        if (found === undefined) return new NotInRegistry({ name: plugin, known: Object.keys(registry) })
        const perTask = Manifest.instanceOf(manifestOf(found)) === "task"
        const current = runningFor(plugin, found, task)
        if (current !== undefined) return Effect.succeed(current)
        const slot = slotOf(plugin, perTask ? task.instanceName : versionOf(found))
        const retain = perTask ? Effect.void : keepWhileOpen(slot, plugin, task)
        // An interrupt of the caller stops the starting process.
        const acquire = Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const { running } = slot
            const isAllowed = perTask ? hasNoRevokedGrants : hasSameGrants
            const isUsable = running !== undefined && !running.ended() && isAllowed(running.described, found)
            const current = isUsable
              ? running
              : yield* perTask
                  ? startForTask(slot, plugin, found, task, restore)
                  : startForKernel(slot, plugin, found, restore)
            slot.running = current
            slot.requestedAt = performance.now()
            yield* ManagedProcess.describe(current, found)
            return current.instance
          }),
        ).pipe(slot.starting.withPermits(1))
        return Effect.zipRight(retain, acquire)
      })
    return { get, running: runningFor }
  })

const keyOf = (plugin: string, instance: string): string => `${plugin}\0${instance}`

/** Tasks of different versions of a plugin use different processes. */
const versionOf = ({ digest }: Plugin): string => `${KERNEL}@${digest}`

/** A shared process restarts when the plugin's grants change. */
const hasSameGrants = (has: Plugin, found: Plugin): boolean =>
  has.grants === found.grants || JSON.stringify(has.grants) === JSON.stringify(found.grants)

/** A task keeps its own process, unless that holds revoked permissions. */
const hasNoRevokedGrants = (has: Plugin, found: Plugin): boolean =>
  has.grants === found.grants ||
  (isGrants(has.grants) && isGrants(found.grants) && Grants.covers(found.grants, has.grants))

const isGrants = Schema.is(Grants.Grants)

interface Slot {
  readonly starting: Effect.Semaphore
  readonly tasks: Set<string>
  running?: ManagedProcess.ManagedProcess
  requestedAt: number
}

const stopWhenIdle = (slot: Slot, running: ManagedProcess.ManagedProcess, idleMs: number): Effect.Effect<void> => {
  const left = () => {
    const since = running.process.idleSince()
    return since === undefined ? idleMs : Math.max(since, slot.requestedAt) + idleMs - performance.now()
  }
  const stop = Effect.suspend(() => {
    if (slot.running !== running || running.ended()) return Effect.succeed(true)
    // Callers find a running instance without the lock, so nothing may come between this check and the end.
    const isIdle = () => left() <= 0
    return Effect.tap(running.retireIfUnused(isIdle), (retired) => {
      if (retired) delete slot.running
    })
  }).pipe(slot.starting.withPermits(1), Effect.uninterruptible)
  return Effect.suspend(() => Effect.sleep(Math.max(left(), SHORTEST_SLEEP_MS))).pipe(
    Effect.zipRight(stop),
    Effect.repeat({ until: (stopped) => stopped }),
    Effect.interruptible,
  )
}

/** Minimum pause before the next check of a process that was in use when its time was up. */
const SHORTEST_SLEEP_MS = 10
