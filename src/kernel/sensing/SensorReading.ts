/** Reads one sensor once, and records the reading or the failure. */

import { Data, Effect, Fiber } from "effect"
import type { AppendError, CoreNewEvent, LogError } from "../../events/log/EventLog.ts"
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
import * as Together from "./Together.ts"

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
    const started = deadline === undefined ? starting : Effect.flatMap(Effect.forkIn(starting, task.scope), Fiber.join)
    const ask = Effect.suspend(() => {
      wasAsked = true
      return answer(task, sensor, started, of.agentId)
    })
    return Deadline.within(deadline, task.oneAtATime(sensor.name, ask)).pipe(
      Effect.flatMap((read) => recordReading(task, sensor, read, of)),
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

interface Answer {
  readonly reading: Json
  readonly latencyMs: number
}

/** Asks a sensor. `started` is its plugin's process. */
const answer = (
  task: SensingTask,
  sensor: ActiveComponent,
  started: ReturnType<SensingTask["instance"]>,
  agentId: string | undefined,
) =>
  Effect.gen(function* () {
    const startedAt = performance.now()
    const { process, manifest } = yield* started
    const timeoutMs = sensorsOf(manifest).find(({ name }) => name === sensor.component)?.timeout
    const reading = yield* process.read(sensor.component, {
      taskId: task.instanceName,
      causationId: task.openedBy,
      ...defined({ timeoutMs, agent: agentId }),
    })
    return { reading, latencyMs: MonotonicClock.elapsedSince(startedAt) }
  })

/**
 * Asks a sensor for several agents at once, while it has no other reading in progress. Returns for each agent the event
 * that records the reading or the failure, to which `withPerception` adds the perception.
 */
export const senseForAll = (
  task: SensingTask,
  registry: PluginRegistry,
  sensor: ActiveComponent,
  agentIds: ReadonlyArray<string>,
): Effect.Effect<ReadonlyArray<PerceivedEvent>, LogError> => {
  const started = task.instance(sensor.plugin, registry)
  const askFor = (agentId: string) =>
    Effect.map(answer(task, sensor, started, agentId), (read) => readEvent(task, sensor, read, { agentId })).pipe(
      onPluginFailure((failure) => Effect.succeed(failedEvent(task, sensor, failureOf(failure), { agentId }))),
    )
  return task.oneAtATime(sensor.name, Together.forEach(agentIds, askFor))
}

/** An event of a perception, before it is recorded. */
export type PerceivedEvent = ReturnType<typeof readEvent> | ReturnType<typeof failedEvent>

export const withPerception = (event: PerceivedEvent, perception: number): CoreNewEvent =>
  event.type === "SensorRead"
    ? { ...event, payload: { ...event.payload, perception } }
    : { ...event, payload: { ...event.payload, perception } }

const readEvent = (
  task: SensingTask,
  { name, priority }: ActiveComponent,
  { reading, latencyMs }: Answer,
  of: PerceptionFields,
) => ({
  type: "SensorRead" as const,
  causationId: task.openedBy,
  payload: { sensor: name, reading, priority, latencyMs, ...fieldsOf(of) },
})

const failedEvent = (task: SensingTask, { name }: ActiveComponent, error: Failure, of: PerceptionFields) => ({
  type: "SensorFailed" as const,
  causationId: task.openedBy,
  payload: { sensor: name, error, ...fieldsOf(of) },
})

const recordReading = (task: SensingTask, sensor: ActiveComponent, read: Answer, of: PerceptionFields) =>
  Effect.map(
    task.record(readEvent(task, sensor, read, of)),
    (event): Reading => ({ sensor: sensor.name, reading: read.reading, position: event.position, event }),
  )

const fail = (task: SensingTask, sensor: ActiveComponent, error: Failure, of: PerceptionFields) =>
  Effect.zipRight(
    task.record(failedEvent(task, sensor, error, of)),
    new NotRead({ sensor: sensor.name, code: error.code }),
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
