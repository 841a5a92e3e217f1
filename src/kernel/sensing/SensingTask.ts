/** An open task, as sensing in it sees it. */
import type { Effect } from "effect"
import type { TaskContext } from "../context/TaskContext.ts"

export interface SensingTask extends TaskContext {
  /** The number of the perception that begins now: what it reads is recorded with it. */
  readonly nextPerception: () => number
  /** Lets one reading of a sensor at a time be under way, by `plugin/sensor`. */
  readonly oneAtATime: <A, E>(sensor: string, reading: Effect.Effect<A, E>) => Effect.Effect<A, E>
}
