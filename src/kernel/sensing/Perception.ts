/** Reads all sensors of a task, by priority and within a deadline. */

import { Effect, Schema } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import { type ActiveComponent, activeSensors } from "../../projections/state/PluginRegistry.ts"
import * as Options from "../../values/Options.ts"
import * as Deadline from "./Deadline.ts"
import type { SensingTask } from "./SensingTask.ts"
import { type Reading, sense, skip } from "./SensorReading.ts"
import * as Together from "./Together.ts"

/** Options of `perceive`. */
export interface PerceiveOptions {
  /** Time limit in milliseconds. Default: only the sensors' own time-outs. */
  readonly deadlineMs?: number
  /** The perceiving agent, in a task with several. */
  readonly agentId?: string
}

/** Schema of `PerceiveOptions`. An invalid deadline fails with `InvalidDeadline`. */
export const PerceiveOptions = Options.of<PerceiveOptions>({
  optional: { deadlineMs: Schema.Number, agentId: Options.Text },
})

/** Why a perception failed. A sensor that fails is no error: it has no reading. */
export type PerceiveError = Options.InvalidOptions | Deadline.InvalidDeadline | LeaseLost | AppendError | LogError

/**
 * Reads every active sensor of the task's plugins, in descending priority; equal ones concurrently. Returns readings
 * after their commit, so that an agent and the log agree. Failed sensors are recorded (`SensorFailed`) and omitted.
 *
 * At the deadline, returns the readings so far. Records sensors before their turn as `SensorSkipped`, and cancels those
 * without an answer (`SensorFailed`, code `DeadlinePassed`).
 */
export const perceive = (
  task: SensingTask,
  options: PerceiveOptions = {},
): Effect.Effect<ReadonlyArray<Reading>, PerceiveError> =>
  Effect.gen(function* () {
    const { deadlineMs, agentId } = yield* Options.decode("perceive", PerceiveOptions, options)
    const deadline = deadlineMs === undefined ? undefined : yield* Deadline.after(deadlineMs)
    yield* task.kernel.lease.held
    const perception = task.nextPerception()
    const registry = yield* task.kernel.registry.state
    const groups = byPriority(activeSensors(registry).filter((sensor) => task.takesPart(sensor.plugin)))
    const readings: Array<Reading> = []
    for (const [index, equals] of groups.entries()) {
      if (deadline !== undefined && (yield* Deadline.hasPassed(deadline))) {
        yield* skip(task, groups.slice(index).flat(), deadline.ms, { perception, agentId })
        break
      }
      const read = yield* Together.forEach(equals, (sensor) =>
        sense(task, registry, sensor, { deadline, perception, agentId }).pipe(
          Effect.catchTag("NotRead", () => Effect.succeed(undefined)),
        ),
      )
      readings.push(...read.filter((reading) => reading !== undefined))
    }
    return readings
  })

/** Groups sensors of equal priority, in their order. Pure. */
export const byPriority = (sensors: ReadonlyArray<ActiveComponent>): ReadonlyArray<ReadonlyArray<ActiveComponent>> => {
  const groups: Array<Array<ActiveComponent>> = []
  for (const sensor of sensors) {
    const last = groups.at(-1)
    if (last?.[0]?.priority === sensor.priority) last.push(sensor)
    else groups.push([sensor])
  }
  return groups
}
