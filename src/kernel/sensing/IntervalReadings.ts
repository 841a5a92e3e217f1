/** Reads the sensors that declare an interval, without being asked by an agent. */

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

/** A sensor with an interval. */
interface IntervalSensor {
  /** `plugin/sensor` */
  readonly name: string
  readonly plugin: string
  readonly intervalMs: number
}

/**
 * Reads each sensor that declares an interval, until interrupted. The sensors are fixed when the task is opened, like
 * the plugins that take part; activation and priority are looked up at each tick.
 *
 * Ticks lie on a grid that starts at the opening. A sensor has one reading in progress at a time: ticks during a
 * reading are skipped. A sensor that fails is read again at its next tick. All sensors of a plugin together are read
 * no more often than one sensor may be, so a plugin that declares a thousand cannot flood the log.
 */
export const run = (task: SensingTask): Effect.Effect<void, LogError> =>
  Effect.gen(function* () {
    const registry = yield* task.kernel.registry.state
    const sensors = Object.entries(registry).flatMap(([plugin, found]): ReadonlyArray<IntervalSensor> => {
      if (!task.takesPart(plugin)) return []
      return sensorsOf(manifestOf(found)).flatMap(({ name, interval }) =>
        interval === undefined ? [] : [{ name: `${plugin}/${name}`, plugin, intervalMs: interval }],
      )
    })
    const awaitPermit = PushRateLimiter.make()
    yield* Effect.forEach(sensors, (sensor) => repeat(task, sensor, awaitPermit), {
      concurrency: "unbounded",
      discard: true,
    })
  })

/** Reads one sensor at its ticks, until its environment or the lease is lost. */
const repeat = (
  task: SensingTask,
  { name, plugin, intervalMs }: IntervalSensor,
  awaitPermit: PushRateLimiter.PushRateLimiter,
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const ticks = { startedAt: yield* MonotonicClock.now, intervalMs }
    let tick = ticks.startedAt
    for (let continues = true; continues; ) {
      const now = yield* MonotonicClock.now
      // Never the same tick twice, if the timer fires slightly early.
      tick = IntervalGrid.nextAfter(ticks, Math.max(now, tick))
      yield* Effect.sleep(Duration.millis(tick - now))
      yield* awaitPermit(plugin)
      continues = yield* readOnce(task, name)
    }
  })

/** Reads the sensor once. Returns whether to continue. */
const readOnce = (task: SensingTask, name: string): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    yield* task.kernel.lease.held
    // While the task is paused, its ticks are skipped.
    if (task.isPaused()) return true
    const registry = yield* task.kernel.registry.state
    const sensor = activeSensors(registry).find((active) => active.name === name)
    if (sensor !== undefined) yield* sense(task, registry, sensor)
    return true
  }).pipe(
    Effect.catchTags({
      // The sensor's process ended, and the task's environment with it: there is nothing to read any more.
      NotRead: ({ code }) => Effect.succeed(code !== "WorldLost"),
      LeaseLost: () => Effect.succeed(false),
    }),
    Effect.catchAll((error: Exclude<AppendError | LogError, LeaseLost>) =>
      Effect.as(ProgramLog.warning(`${name} was not read at its tick; the next one tries again`, error), true),
    ),
  )
