/** An open task with the members that sensing needs. */
import type { Effect } from "effect"
import type { TaskContext } from "../context/TaskContext.ts"

export interface SensingTask extends TaskContext {
  readonly nextPerception: () => number
  /** Serializes the readings of each sensor, by `plugin/sensor`. */
  readonly oneAtATime: <A, E>(sensor: string, reading: Effect.Effect<A, E>) => Effect.Effect<A, E>
}
