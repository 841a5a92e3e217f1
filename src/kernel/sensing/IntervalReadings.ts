/** Reads sensors with an interval, without a request from an agent. */

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

interface IntervalSensor {
  /** `plugin/sensor` */
  readonly name: string
  readonly plugin: string
  readonly intervalMs: number
}

/**
 * Reads each sensor with an interval until interrupted. The task's opening fixes the sensors; activation and priority
 * count at each tick. Ticks form a grid from the opening; a sensor skips those during its own reading. All sensors of a
 * plugin share the rate limit of one, so that a thousand cannot flood the log.
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
      // Never the same tick twice, even if the timer fires early.
      tick = IntervalGrid.nextAfter(ticks, Math.max(now, tick))
      yield* Effect.sleep(Duration.millis(tick - now))
      yield* awaitPermit(plugin)
      continues = yield* readOnce(task, name)
    }
  })

/** Returns whether to continue. */
const readOnce = (task: SensingTask, name: string): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    yield* task.kernel.lease.held
    if (task.isPaused()) return true
    const registry = yield* task.kernel.registry.state
    const sensor = activeSensors(registry).find((active) => active.name === name)
    if (sensor !== undefined) yield* sense(task, registry, sensor)
    return true
  }).pipe(
    Effect.catchTags({
      // The sensor's process ended together with the task's environment: nothing is left to read.
      NotRead: ({ code }) => Effect.succeed(code !== "WorldLost"),
      LeaseLost: () => Effect.succeed(false),
    }),
    Effect.catchAll((error: Exclude<AppendError | LogError, LeaseLost>) =>
      Effect.as(ProgramLog.warning(`${name} was not read at its interval; the next one tries again`, error), true),
    ),
  )
