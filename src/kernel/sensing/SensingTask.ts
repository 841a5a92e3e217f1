/** An open task with what sensing needs. */
import type { Effect } from "effect"
import type { TaskContext } from "../context/TaskContext.ts"

export interface SensingTask extends TaskContext {
  /** The number of the perception that begins now. It is recorded with each of its readings. */
  readonly nextPerception: () => number
  /** Serializes the readings of each sensor, by `plugin/sensor`. */
  readonly oneAtATime: <A, E>(sensor: string, reading: Effect.Effect<A, E>) => Effect.Effect<A, E>
}
