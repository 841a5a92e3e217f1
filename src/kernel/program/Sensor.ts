/** Sensors of the embedding program: functions that are read as a plugin's sensors are. See `Tool` for what holds. */

import type { JsonObject } from "../../values/Json.ts"
import type { DataSchema, Described } from "./DataSchema.ts"
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
