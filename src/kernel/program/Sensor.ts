/** Sensors of the embedding program: functions that are read as a plugin's sensors are. See `Tool` for what holds. */

import { Schema } from "effect"
import { TimeoutMs } from "../../plugins/manifest/Manifest.ts"
import { JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import { DataSchema, type Described } from "./DataSchema.ts"
import type { Answer, CallContext, NeededBy, Opaque } from "./ProgramFunction.ts"

export type { DataSchema } from "./DataSchema.ts"
export type { CallContext } from "./ProgramFunction.ts"

/** A sensor. `Services` are those that its `read` needs; the layer that it is given to needs them. */
export interface Sensor<out Services = never> extends Opaque<"sensor", Services> {}

/** Sensors by their names. The sensor `clock` is read as `program/clock`. */
export interface Sensors {
  readonly [name: string]: Sensor<unknown>
}

/** Options of `make`. */
export interface SensorOptions<Reading extends DataSchema, Returned> {
  /** What agents are told of it. */
  readonly description: string
  /** The reading, which an Effect Schema encodes. One that does not fit is `SensorFailed`. Default: any JSON. */
  readonly reading?: Reading
  /** Also reads it at this interval while a task is open, in milliseconds. Default: only when an agent perceives. */
  readonly every?: number
  /** Higher is read first. Default: 0. */
  readonly priority?: number
  /** How long a reading may take, in milliseconds. Default: 30 000. */
  readonly timeout?: number
  /** Recorded with the sensor. */
  readonly metadata?: JsonObject
  /** Answers with JSON, or with what `reading` encodes; interrupted and timed out as a tool's `run` is. */
  readonly read: (context: CallContext) => Returned
}

/** A sensor from its options. Mistakes in them are reported by the layer that the sensor is given to, all at once. */
export const make = <
  const Returned extends Answer<Described<Reading, unknown>>,
  Reading extends DataSchema = JsonObject,
>(
  options: SensorOptions<Reading, Returned>,
): Sensor<NeededBy<Returned>> =>
  // The services are known to the compiler only.
  options as unknown as Sensor<NeededBy<Returned>>

/** A sensor's options without their types, as `Fields` decodes them. */
export interface Fields {
  readonly description: string
  readonly reading?: DataSchema
  readonly every?: number
  readonly priority?: number
  readonly timeout?: number
  readonly metadata?: JsonObject
  readonly read: (context: CallContext) => unknown
}

/** Schema of `Fields`. */
export const Fields = Options.of<Fields>({
  required: { description: Options.Text, read: Options.callable<Fields["read"]>() },
  optional: {
    reading: DataSchema,
    every: Options.Milliseconds,
    priority: Schema.Finite,
    timeout: TimeoutMs,
    metadata: JsonObject,
  },
}).annotations({ description: "a sensor: Sensor.make({ description, read, … })" })

/** The options of sensors that were decoded, by name, in the order of the names. */
export const fieldsOf = (sensors: Sensors): ReadonlyArray<readonly [name: string, Fields]> =>
  // A decoded sensor is its `Fields`.
  Object.entries(sensors as unknown as { readonly [name: string]: Fields }).sort(([a], [b]) => (a < b ? -1 : 1))
