/** Reads one sensor once, and records the reading or the failure. */

import { Data, Effect, Fiber } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import { sensorsOf } from "../../plugins/manifest/Manifest.ts"
import type { ActiveComponent, PluginRegistry } from "../../projections/state/PluginRegistry.ts"
import { defined } from "../../values/defined.ts"
import type { Json } from "../../values/Json.ts"
import { failureOf, onPluginFailure } from "../instances/PluginFailure.ts"
import * as Deadline from "./Deadline.ts"
import type { SensingTask } from "./SensingTask.ts"

/** A recorded reading of one sensor. */
export interface Reading {
  /** `plugin/sensor` */
  readonly sensor: string
  readonly reading: Json
  /** The position of its `SensorRead` event. */
  readonly position: number
  readonly event: Event
}

/** A sensor gave no reading. The log has the reason. */
export class NotRead extends Data.TaggedError("NotRead")<{ readonly sensor: string; readonly code: string }> {}

export interface SenseOptions {
  readonly deadline?: Deadline.Deadline | undefined
  readonly perception?: number | undefined
  /** The perceiving agent, in a task with several. */
  readonly agentId?: string | undefined
}

type PerceptionFields = Pick<SenseOptions, "perception" | "agentId">

const fieldsOf = ({ perception, agentId }: PerceptionFields) => ({
  ...defined({ perception, agentId }),
})

/**
 * Records `SensorRead`, or `SensorFailed` without a reading. A sensor has one reading in progress at a time. A deadline
 * before its turn gives `SensorSkipped`; a deadline during the reading cancels it (`SensorFailed`, code
 * `DeadlinePassed`). The start of a plugin is never cancelled, because a slow one could then never start.
 */
export const sense = (
  task: SensingTask,
  registry: PluginRegistry,
  sensor: ActiveComponent,
  { deadline, ...of }: SenseOptions = {},
): Effect.Effect<Reading, NotRead | AppendError | LogError> =>
  Effect.suspend(() => {
    let wasAsked = false
    const starting = task.instance(sensor.plugin, registry)
    const ask = Effect.gen(function* () {
      wasAsked = true
      const startedAt = performance.now()
      const { process, manifest } = yield* deadline === undefined
        ? starting
        : Effect.flatMap(Effect.forkIn(starting, task.scope), Fiber.join)
      const timeoutMs = sensorsOf(manifest).find(({ name }) => name === sensor.component)?.timeout
      const reading = yield* process.read(sensor.component, {
        taskId: task.instanceName,
        causationId: task.openedBy,
        ...defined({ timeoutMs, agent: of.agentId }),
      })
      return { reading, latencyMs: MonotonicClock.elapsedSince(startedAt) }
    })
    return Deadline.within(deadline, task.oneAtATime(sensor.name, ask)).pipe(
      Effect.flatMap(({ reading, latencyMs }) => recordReading(task, sensor, { reading, latencyMs }, of)),
      onPluginFailure((failure) => fail(task, sensor, failureOf(failure), of)),
      Effect.catchTag("DeadlinePassed", ({ ms }) =>
        wasAsked
          ? fail(
              task,
              sensor,
              { code: "DeadlinePassed", message: `it was asked, and gave no reading within ${ms} ms` },
              of,
            )
          : Effect.zipRight(skip(task, [sensor], ms, of), new NotRead({ sensor: sensor.name, code: "DeadlinePassed" })),
      ),
    )
  })

const recordReading = (
  task: SensingTask,
  sensor: ActiveComponent,
  { reading, latencyMs }: { readonly reading: Json; readonly latencyMs: number },
  of: PerceptionFields,
) =>
  Effect.map(
    task.record({
      type: "SensorRead",
      causationId: task.openedBy,
      payload: {
        sensor: sensor.name,
        reading,
        priority: sensor.priority,
        latencyMs,
        ...fieldsOf(of),
      },
    }),
    (event): Reading => ({ sensor: sensor.name, reading, position: event.position, event }),
  )

const fail = (task: SensingTask, { name }: ActiveComponent, error: Failure, of: PerceptionFields) =>
  Effect.zipRight(
    task.record({
      type: "SensorFailed",
      causationId: task.openedBy,
      payload: { sensor: name, error, ...fieldsOf(of) },
    }),
    new NotRead({ sensor: name, code: error.code }),
  )

/** Records the sensors without a turn within `deadlineMs`, in one commit. */
export const skip = (
  task: SensingTask,
  sensors: ReadonlyArray<ActiveComponent>,
  deadlineMs: number,
  of: PerceptionFields = {},
): Effect.Effect<void, AppendError> => {
  const [first, ...rest] = sensors.map(({ name, priority }) => ({
    type: "SensorSkipped" as const,
    causationId: task.openedBy,
    payload: {
      sensor: name,
      priority,
      reason: "the deadline came before its turn",
      deadlineMs,
      ...fieldsOf(of),
    },
  }))
  return first === undefined ? Effect.void : Effect.asVoid(task.record(first, ...rest))
}
