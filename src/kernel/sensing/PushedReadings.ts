/** Records the readings that plugins push. */

import { Data, Effect, type Scope } from "effect"
import type { AppendError, EventLog, LogError } from "../../events/log/EventLog.ts"
import type { HeldLease, LeaseLost } from "../../events/log/Lease.ts"
import type { Recorder } from "../../events/log/Recorder.ts"
import { activeSensors } from "../../projections/state/PluginRegistry.ts"
import { quoteWord } from "../../values/ShellWord.ts"
import type { TaskClosed } from "../context/TaskLifecycle.ts"
import type { PushedReading } from "../instances/Instance.ts"
import { KERNEL } from "../instances/Instance.ts"
import type { Registry } from "../registry/Registry.ts"
import * as PushRateLimiter from "./PushRateLimiter.ts"

/** The sensor of a pushed reading is not active: the reading was not recorded. */
export class SensorInactive extends Data.TaggedError("SensorInactive")<{ readonly sensor: string }> {
  override get message() {
    return `${this.sensor} is not an active sensor, so this reading was not recorded. \`hindcast plugin activate ${quoteWord(this.sensor)}\` activates it.`
  }
}

/** The task that a plugin's process serves is not open. */
export class NoOpenTask extends Data.TaggedError("NoOpenTask")<{ readonly taskId: string }> {
  override get message() {
    return `Task ${this.taskId} is not open: the reading was not recorded.`
  }
}

/** An open task that receives pushed readings. */
export interface Listener {
  /** The task's id, or in a fork `id@timeline`. */
  readonly instanceName: string
  /** Records in the task's stream; in a fork, on its timeline. */
  readonly recorder: Recorder
  /** The id of its `TaskOpened` event, or of the event that forked it. */
  readonly openedBy: string
  readonly takesPart: (plugin: string) => boolean
  /** Runs a short effect if the task is open. */
  readonly ifOpen: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E | TaskClosed>
}

/** The service that records pushed readings. */
export interface PushedReadings {
  /**
   * Records a pushed reading as `SensorRead`, with the plugin as actor: in the task that its process serves, otherwise
   * in each open task of the plugin, or without one in no task. Delays processes beyond the rate limit: the plugin host
   * queues some readings and drops the rest.
   */
  readonly record: (
    emitted: PushedReading,
  ) => Effect.Effect<void, SensorInactive | NoOpenTask | LeaseLost | AppendError | LogError>
  /** Delivers pushed readings to an open task until the scope closes. */
  readonly listen: (task: Listener) => Effect.Effect<void, never, Scope.Scope>
}

export const make = (log: EventLog.Service, registry: Registry.Service, lease: HeldLease): PushedReadings => {
  const listeners = new Map<string, Listener>()
  /** By the task that a process serves. */
  const limiters = new Map<string, PushRateLimiter.PushRateLimiter>()

  const listening = (instance: string, plugin: string): ReadonlyArray<Listener> =>
    [...listeners.values()].filter(({ instanceName, takesPart }) =>
      instance === KERNEL ? takesPart(plugin) : instanceName === instance,
    )

  const awaitPermit = (instance: string, plugin: string) => {
    const limiter = limiters.get(instance) ?? PushRateLimiter.make()
    limiters.set(instance, limiter)
    return limiter(plugin)
  }

  const record = ({ plugin, version, sensor, instance, reading }: PushedReading) =>
    Effect.gen(function* () {
      if (instance !== KERNEL && !listeners.has(instance)) return yield* new NoOpenTask({ taskId: instance })
      yield* awaitPermit(instance, plugin)
      yield* lease.held
      const name = `${plugin}/${sensor}`
      const active = activeSensors(yield* registry.state).find((active) => active.name === name)
      if (active === undefined) return yield* new SensorInactive({ sensor: name })
      const actor = `plugin:${plugin}@${version}`
      // Nothing waited for it, so it has no latency.
      const payload = { sensor: name, reading, priority: active.priority, latencyMs: 0 }

      const recordIn = ({ recorder, openedBy, ifOpen }: Listener) =>
        ifOpen(recorder.as(actor).record({ type: "SensorRead", causationId: openedBy, payload }))

      const recorded = yield* Effect.forEach(
        listening(instance, plugin),
        (listener) =>
          // A closing task rejects the reading; the others record it.
          Effect.as(recordIn(listener), true).pipe(Effect.catchTag("TaskClosed", () => Effect.succeed(false))),
        { concurrency: "unbounded" },
      )
      if (recorded.includes(true)) return
      if (instance !== KERNEL) return yield* new NoOpenTask({ taskId: instance })
      yield* log.append({ stream: `plugin/${plugin}`, taskId: null, actor, events: [{ type: "SensorRead", payload }] })
    })

  return {
    record,
    listen: (listener) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => listeners.set(listener.instanceName, listener)),
          () =>
            Effect.sync(() => {
              listeners.delete(listener.instanceName)
              limiters.delete(listener.instanceName)
            }),
        ),
      ),
  }
}
