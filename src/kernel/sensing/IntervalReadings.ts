import { Duration, Effect } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import { sensorsOf } from "../../plugins/manifest/Manifest.ts"
import { activeSensors } from "../../projections/state/PluginRegistry.ts"
import { manifestOf } from "../registry/Registry.ts"
import * as IntervalGrid from "./IntervalGrid.ts"
import * as PushRateLimiter from "./PushRateLimiter.ts"
import type { SensingTask } from "./SensingTask.ts"
import { sense } from "./SensorReading.ts"

/** A sensor that is read on its own. */
interface Repeating {
  /** `plugin/sensor` */
  readonly name: string
  readonly plugin: string
  readonly intervalMs: number
}

/**
 * Reads the sensors that declare an interval, each on its own, for as long as this runs. Which ones those are is settled
 * when the task is opened, like who takes part in it; whether one is active, and its priority, is looked at at each tick.
 *
 * Ticks lie on a grid from the opening on. While a reading is under way no other one is begun: the ticks that pass meanwhile
 * come to nothing but the next one. A sensor that fails is asked again at its next tick. All sensors of a plugin together
 * are read no more often than one may be: a plugin that declares a thousand fills no log.
 */
export const run = (task: SensingTask): Effect.Effect<void, LogError> =>
  Effect.gen(function* () {
    const registry = yield* task.kernel.registry.state
    const repeating = Object.entries(registry).flatMap(([plugin, found]): ReadonlyArray<Repeating> => {
      if (!task.takesPart(plugin)) return []
      return sensorsOf(manifestOf(found)).flatMap(({ name, interval }) =>
        interval === undefined ? [] : [{ name: `${plugin}/${name}`, plugin, intervalMs: interval }],
      )
    })
    const turn = PushRateLimiter.make()
    yield* Effect.forEach(repeating, (sensor) => repeat(task, sensor, turn), {
      concurrency: "unbounded",
      discard: true,
    })
  })

/** Reads one sensor at its ticks, until its world or the lease is lost. */
const repeat = (
  task: SensingTask,
  { name, plugin, intervalMs }: Repeating,
  turn: PushRateLimiter.PushRateLimiter,
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const ticks = { startedAt: yield* MonotonicClock.now, intervalMs }
    let tick = ticks.startedAt
    for (let goesOn = true; goesOn; ) {
      const now = yield* MonotonicClock.now
      // Not the tick before once more, should the timer have been a little early.
      tick = IntervalGrid.nextAfter(ticks, Math.max(now, tick))
      yield* Effect.sleep(Duration.millis(tick - now))
      yield* turn(plugin)
      goesOn = yield* readOnce(task, name)
    }
  })

/** Answers whether to go on. */
const readOnce = (task: SensingTask, name: string): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    yield* task.kernel.lease.held
    const registry = yield* task.kernel.registry.state
    const sensor = activeSensors(registry).find((active) => active.name === name)
    if (sensor !== undefined) yield* sense(task, registry, sensor)
    return true
  }).pipe(
    Effect.catchTags({
      // Its process ended and took the world of this task with it: there is nothing more to read.
      NotRead: ({ code }) => Effect.succeed(code !== "WorldLost"),
      LeaseLost: () => Effect.succeed(false),
    }),
    Effect.catchAll((error: Exclude<AppendError | LogError, LeaseLost>) =>
      Effect.as(ProgramLog.warning(`${name} was not read at its tick; the next one tries again`, error), true),
    ),
  )
