/** The input and the result of evaluating a rule at one event. */

import type { Event } from "../../events/vocabulary/Event.ts"
import type { Read } from "../../projections/patch/PathPattern.ts"
import type { Json, JsonObject } from "../../values/Json.ts"

/** A command that was requested before the event. */
export interface EarlierCommand {
  readonly id: string
  readonly actuator: string
  readonly args: Json
  /** Equal for equal arguments. */
  readonly digest: string
  /** Where it was requested. */
  readonly position: number
  readonly outcome: "open" | "succeeded" | "failed" | "denied" | "unknown"
}

/** The variables that a rule is evaluated with, at one event of a task. */
export interface RuleContext {
  readonly event: Event
  /** The task's part of `EnvironmentState` after the event. */
  readonly state: object
  readonly task: JsonObject
  /** The command that the event belongs to, `{ actuator, args }`; empty if there is none. */
  readonly command: JsonObject
  /** The task's commands before the event, oldest first, with what came of them until then: the last 500. */
  readonly commands: ReadonlyArray<EarlierCommand>
  /** Milliseconds since the task was opened, of the task's own time: see `TaskClock`. */
  readonly elapsed: number
  /** Number of the task's events by type, this event included. */
  readonly counts: ReadonlyMap<string, number>
}

/**
 * A rule's result at one event. `absent`: it read a key that is missing; `reads` are the paths for want of which it has
 * no result, each of which alone would make it false. `broken`: it threw, or is not a boolean.
 */
export type RuleResult =
  | { readonly kind: "held"; readonly value: boolean }
  | { readonly kind: "absent"; readonly reason: string; readonly reads: ReadonlyArray<Read> }
  | { readonly kind: "broken"; readonly reason: string }
