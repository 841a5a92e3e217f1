/** Reads the sensors for several agents before their turns, in one commit. */

import { Effect } from "effect"
import type { AppendError, CoreNewEvent, LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { activeSensors } from "../../projections/state/PluginRegistry.ts"
import type { Json } from "../../values/Json.ts"
import { byPriority } from "./Perception.ts"
import type { SensingTask } from "./SensingTask.ts"
import { type PerceivedEvent, type Reading, senseForAll, withPerception } from "./SensorReading.ts"
import * as Together from "./Together.ts"

/** The readings of each agent that was asked for. */
export type ReadingsAhead = ReadonlyMap<string, ReadonlyArray<Reading>>

/**
 * Reads every active sensor of the task's plugins for each of several agents, and records the readings in the agents'
 * order, as if each had perceived by itself. For agents that will perceive next, where nothing changes before. Returns
 * nothing if the log cannot store a reading: the agents then perceive by themselves, and that one gets the error.
 */
export const perceiveAhead = (
  task: SensingTask,
  agentIds: ReadonlyArray<string>,
): Effect.Effect<ReadingsAhead, LeaseLost | AppendError | LogError> =>
  Effect.gen(function* () {
    yield* task.kernel.lease.held
    const registry = yield* task.kernel.registry.state
    const groups = byPriority(activeSensors(registry).filter((sensor) => task.takesPart(sensor.plugin)))
    const read: Array<ReadonlyArray<PerceivedEvent>> = []
    for (const equals of groups) {
      read.push(...(yield* Together.forEach(equals, (sensor) => senseForAll(task, registry, sensor, agentIds))))
    }
    const perceived = agentIds.map((_, index) => {
      const perception = task.nextPerception()
      return read.flatMap((ofSensor) => {
        const event = ofSensor[index]
        return event === undefined ? [] : [withPerception(event, perception)]
      })
    })
    const [first, ...others]: ReadonlyArray<CoreNewEvent> = perceived.flat()
    if (first === undefined) return new Map()
    const recorded = yield* task
      .recordAll([first, ...others])
      .pipe(Effect.catchTag("InvalidEvent", () => Effect.succeed([])))
    let next = 0
    const readings = new Map<string, ReadonlyArray<Reading>>()
    if (recorded.length === 0) return readings
    for (const [index, agentId] of agentIds.entries()) {
      const own = recorded.slice(next, next + (perceived[index]?.length ?? 0))
      next += own.length
      readings.set(
        agentId,
        own.flatMap((event): ReadonlyArray<Reading> => {
          if (!is(event, "SensorRead")) return []
          const { sensor, reading } = event.payload
          return [{ sensor, reading: reading as Json, position: event.position, event }]
        }),
      )
    }
    return readings
  })
