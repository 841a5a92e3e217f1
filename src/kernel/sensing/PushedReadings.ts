import { type Context, Data, Effect, type Scope } from "effect"
import type { AppendError, EventLog, LogError } from "../../events/log/EventLog.ts"
import type { HeldLease, LeaseLost } from "../../events/log/Lease.ts"
import type { Recorder } from "../../events/log/Recorder.ts"
import { activeSensors } from "../../projections/state/PluginRegistry.ts"
import type { TaskClosed } from "../context/TaskLifecycle.ts"
import type { PushedReading } from "../instances/Instance.ts"
import { KERNEL } from "../instances/Instances.ts"
import type { Registry } from "../registry/Registry.ts"
import * as PushRateLimiter from "./PushRateLimiter.ts"

/** The sensor that a plugin pushed a reading of does not take part: the reading was not recorded. */
export class SensorInactive extends Data.TaggedError("SensorInactive")<{ readonly sensor: string }> {
  override get message() {
    return `${this.sensor} is not an active sensor: expected one that is, so this reading was not recorded. \`hindcast plugin activate ${this.sensor}\` activates it.`
  }
}

/** The task that a plugin's process serves is not open. */
export class NoOpenTask extends Data.TaggedError("NoOpenTask")<{ readonly taskId: string }> {
  override get message() {
    return `Task ${this.taskId} is not open: the reading was not recorded.`
  }
}

/** An open task, as far as pushed readings care. */
export interface Listener {
  /** The name of the instances that serve it alone. */
  readonly place: string
  /** Where its readings are recorded: its own stream, in a fork on its timeline. */
  readonly recorder: Recorder
  /** The id of its `TaskOpened`, or of the event that forked it. */
  readonly openedBy: string
  readonly takesPart: (plugin: string) => boolean
  /** Does something short that belongs to the task, if it is open. */
  readonly whileOpen: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E | TaskClosed>
}

/** Records the readings that plugins push. */
export interface PushedReadings {
  /**
   * Records a pushed reading as `SensorRead`, in the plugin's own name: in the task that the process serves; of a process that
   * serves all tasks, in each open one that the plugin takes part in, and where there is none, in no task. A process that
   * pushes more than `MOST` is held up: so many wait in the process's host, and what comes beyond is left out there.
   */
  readonly take: (
    emitted: PushedReading,
  ) => Effect.Effect<void, SensorInactive | NoOpenTask | LeaseLost | AppendError | LogError>
  /** Lets an open task have what is pushed, for as long as the scope is open. */
  readonly listen: (task: Listener) => Effect.Effect<void, never, Scope.Scope>
}

export const make = (
  log: Context.Tag.Service<EventLog>,
  registry: Context.Tag.Service<Registry>,
  lease: HeldLease,
): PushedReadings => {
  const listeners = new Map<string, Listener>()
  /** By the task that a process serves. */
  const turns = new Map<string, PushRateLimiter.PushRateLimiter>()

  /** The open tasks that are to have what is pushed. */
  const listening = (instance: string, plugin: string): ReadonlyArray<Listener> =>
    [...listeners.values()].filter(({ place, takesPart }) =>
      instance === KERNEL ? takesPart(plugin) : place === instance,
    )

  const inTime = (instance: string, plugin: string) => {
    const turn = turns.get(instance) ?? PushRateLimiter.make()
    turns.set(instance, turn)
    return turn(plugin)
  }

  const take = ({ plugin, version, sensor, instance, reading }: PushedReading) =>
    Effect.gen(function* () {
      if (instance !== KERNEL && !listeners.has(instance)) return yield* new NoOpenTask({ taskId: instance })
      yield* inTime(instance, plugin)
      yield* lease.held
      const name = `${plugin}/${sensor}`
      const active = activeSensors(yield* registry.state).find((active) => active.name === name)
      if (active === undefined) return yield* new SensorInactive({ sensor: name })
      const actor = `plugin:${plugin}@${version}`
      // Nobody waited for it.
      const payload = { sensor: name, reading, priority: active.priority, latencyMs: 0 }

      const recordIn = ({ recorder, openedBy, whileOpen }: Listener) =>
        whileOpen(recorder.as(actor).record({ type: "SensorRead", causationId: openedBy, payload }))

      const taken = yield* Effect.forEach(
        listening(instance, plugin),
        (listener) =>
          // One that is just being closed takes nothing more; the others do.
          Effect.as(recordIn(listener), true).pipe(Effect.catchTag("TaskClosed", () => Effect.succeed(false))),
        { concurrency: "unbounded" },
      )
      if (taken.includes(true)) return
      if (instance !== KERNEL) return yield* new NoOpenTask({ taskId: instance })
      yield* log.append({ stream: `plugin/${plugin}`, taskId: null, actor, events: [{ type: "SensorRead", payload }] })
    })

  return {
    take,
    listen: (listener) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => listeners.set(listener.place, listener)),
          () =>
            Effect.sync(() => {
              listeners.delete(listener.place)
              turns.delete(listener.place)
            }),
        ),
      ),
  }
}
