/** Sensors of the embedding program: functions that agents read like a plugin's sensors. See `Tool` for their rules. */

import type { JsonObject } from "../../values/Json.ts"
import type { DataSchema, Returnable } from "./DataSchema.ts"
import type { Answer, CallContext, NeededBy, Opaque } from "./ProgramFunction.ts"

export type { DataSchema } from "./DataSchema.ts"
export type { CallContext } from "./ProgramFunction.ts"

/** A sensor. `Services` are the needs of its `read`, which its layer passes on. */
export interface Sensor<out Services = never> extends Opaque<"sensor", Services> {}

/** Sensors by name: agents read the sensor `clock` as `program/clock`. */
export interface Sensors {
  readonly [name: string]: Sensor<unknown>
}

/** Options of `make`. */
export interface SensorOptions<Reading extends DataSchema, Returned> {
  readonly description: string
  /** The reading, which an Effect Schema encodes and a Standard Schema validates. A reading that does not fit is `SensorFailed`. Default: any JSON. */
  readonly reading?: Reading
  /** Also reads it at this interval while a task is open, in milliseconds. Default: only when an agent perceives. */
  readonly every?: number
  /** Higher is read first. Default: 0. */
  readonly priority?: number
  /** Time limit of a reading, in milliseconds. Default: 30 000. */
  readonly timeout?: number
  readonly metadata?: JsonObject
  /** Returns JSON, or a value for `reading` to encode. Interrupts and time-outs work as for a tool's `run`. */
  readonly read: (context: CallContext) => Returned
}

/** Makes a sensor. Its layer reports mistakes in the options, all at once. */
export const make = <
  const Returned extends Answer<Returnable<Reading, unknown>>,
  const Reading extends DataSchema = JsonObject,
>(
  options: SensorOptions<Reading, Returned>,
): Sensor<NeededBy<Returned>> =>
  // Only the compiler knows the services.
  options as unknown as Sensor<NeededBy<Returned>>
