import { Effect } from "effect"
import type { Event } from "../events/Event.ts"
import type { AppendError, LogError } from "../events/EventLog.ts"
import type { Failure } from "../events/EventType.ts"
import { type Json, plainText } from "../events/Json.ts"
import type { LeaseLost } from "../events/Lease.ts"
import type { CallError } from "../plugins/PluginError.ts"
import { type ActiveComponent, activeSensors, type PluginRegistry } from "../projections/PluginRegistry.ts"
import type { InstanceError } from "./Instances.ts"
import type { TaskContext } from "./TaskContext.ts"

/** What one sensor returned, as it stands in the log. */
export interface Reading {
  /** `plugin/sensor` */
  readonly sensor: string
  readonly reading: Json
  /** The position of its `SensorRead`. */
  readonly position: number
  readonly event: Event
}

/**
 * Reads every active sensor of the task's plugins, in descending priority; equals are read at the same time. A reading is
 * handed on after it was committed, so that what an agent sees is what the log says. A sensor that fails is recorded
 * (`SensorFailed`) and left out; the others are read all the same.
 */
export const perceive = (
  task: TaskContext,
): Effect.Effect<ReadonlyArray<Reading>, LeaseLost | AppendError | LogError> =>
  Effect.gen(function* () {
    yield* task.kernel.lease.held
    const registry = yield* task.kernel.registry.state
    const sensors = activeSensors(registry).filter((sensor) => task.takesPart(sensor.plugin))
    const readings: Array<Reading> = []
    for (const equals of byPriority(sensors)) {
      const read = yield* Effect.forEach(equals, (sensor) => readOne(task, registry, sensor), {
        concurrency: "unbounded",
      })
      readings.push(...read.filter((reading) => reading !== undefined))
    }
    return readings
  })

/** Groups of equal priority, in the order given: highest first. Pure. */
export const byPriority = (sensors: ReadonlyArray<ActiveComponent>): ReadonlyArray<ReadonlyArray<ActiveComponent>> => {
  const groups: Array<Array<ActiveComponent>> = []
  for (const sensor of sensors) {
    const last = groups.at(-1)
    if (last?.[0]?.priority === sensor.priority) last.push(sensor)
    else groups.push([sensor])
  }
  return groups
}

const readOne = (
  task: TaskContext,
  registry: PluginRegistry,
  sensor: ActiveComponent,
): Effect.Effect<Reading | undefined, AppendError | LogError> =>
  Effect.gen(function* () {
    const startedAt = performance.now()
    const { process, manifest } = yield* task.instance(sensor.plugin, registry)
    const timeoutMs = manifest.peas.sensors?.find(({ name }) => name === sensor.component)?.timeout
    const reading = yield* process.read(sensor.component, {
      taskId: task.id,
      causationId: task.openedBy,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    })
    const latencyMs = elapsedSince(startedAt)
    const event = yield* task.record({
      type: "SensorRead",
      causationId: task.openedBy,
      payload: { sensor: sensor.name, reading, priority: sensor.priority, latencyMs },
    })
    return { sensor: sensor.name, reading, position: event.position, event }
  }).pipe(
    onPluginFailure((error) =>
      Effect.as(
        task.record({
          type: "SensorFailed",
          causationId: task.openedBy,
          payload: { sensor: sensor.name, error: failureOf(error) },
        }),
        undefined,
      ),
    ),
  )

/** Milliseconds since a moment of `performance.now`, to a thousandth. */
export const elapsedSince = (startedAt: number): number => Math.round((performance.now() - startedAt) * 1000) / 1000

type PluginFailure = CallError | Exclude<InstanceError, LogError>

/**
 * Handles what went wrong with a plugin. A failure of a plugin is a fact for the log; a failure of the log itself is not,
 * and ends what was going on.
 */
export const onPluginFailure =
  <B, E2>(handle: (failure: PluginFailure) => Effect.Effect<B, E2>) =>
  <A, E extends { readonly _tag: string }>(
    effect: Effect.Effect<A, E>,
  ): Effect.Effect<A | B, Exclude<E, PluginFailure> | E2> =>
    Effect.catchAll(
      effect,
      (error): Effect.Effect<B, Exclude<E, PluginFailure> | E2> =>
        isPluginFailure(error) ? handle(error) : Effect.fail(error as Exclude<E, PluginFailure>),
    )

const isPluginFailure = (error: { readonly _tag: string }): error is PluginFailure => PLUGIN_FAILURES.has(error._tag)

const PLUGIN_FAILURES: ReadonlySet<string> = new Set<PluginFailure["_tag"]>([
  "PluginExited",
  "CallTimedOut",
  "CallFailed",
  "AnswerInvalid",
  "PluginUnavailable",
  "PluginFailedToLoad",
  "ExportsDisagree",
  "NotInRegistry",
  "WorldLost",
])

/** What the log says of a plugin's failure: its own code and message where it threw, else what kind of failure it was. */
export const failureOf = (error: PluginFailure): Failure =>
  error._tag === "CallFailed"
    ? { code: plainText(error.error.code).slice(0, MAX_CODE) || "Error", message: plainText(error.error.message) }
    : { code: error._tag, message: plainText(error.message) }

/** Longest code of a failure, in characters. */
const MAX_CODE = 100
