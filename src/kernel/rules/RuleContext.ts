/** Input and result of a rule's evaluation at one event. */

import type { Event } from "../../events/vocabulary/Event.ts"
import type { Read } from "../../projections/patch/PathPattern.ts"
import type { Json, JsonObject } from "../../values/Json.ts"

/** A command before the event. */
export interface EarlierCommand {
  readonly id: string
  readonly actuator: string
  readonly args: Json
  readonly digest: string
  /** The position of its request. */
  readonly position: number
  readonly outcome: "open" | "succeeded" | "failed" | "denied" | "unknown"
}

/** The variables of a rule at one event of a task. */
export interface RuleContext {
  readonly event: Event
  /** The task's part of `EnvironmentState` after the event. */
  readonly state: object
  readonly task: JsonObject
  /** The event's command, `{ actuator, args }`; empty if there is none. */
  readonly command: JsonObject
  /** The last 500 before the event, oldest first, with their outcomes so far. */
  readonly commands: ReadonlyArray<EarlierCommand>
  /** Milliseconds of the task's own time: see `TaskClock`. */
  readonly elapsed: number
  /** The task's events by type, including this one. */
  readonly counts: ReadonlyMap<string, number>
}

/**
 * The result at one event. `absent`: the rule read a missing key; each path in `reads` alone leaves it without a
 * result. `broken`: it threw, or is not Boolean.
 */
export type RuleResult =
  | { readonly kind: "held"; readonly value: boolean }
  | { readonly kind: "absent"; readonly reason: string; readonly reads: ReadonlyArray<Read> }
  | { readonly kind: "broken"; readonly reason: string }
