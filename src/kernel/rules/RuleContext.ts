import type { Event } from "../../events/vocabulary/Event.ts"
import type { JsonObject } from "../../values/Json.ts"

/** What a rule is evaluated over, at one event of a task. */
export interface RuleContext {
  readonly event: Event
  /** The task's own part of EnvironmentState after the event. */
  readonly state: object
  readonly task: JsonObject
  /** The command that the event is about: `{ actuator, args }`; empty where it is about none. */
  readonly command: JsonObject
  /** Milliseconds of the log's clock since the task was opened. */
  readonly elapsed: number
  /** How many events of each type the task has had, this one included. */
  readonly counts: ReadonlyMap<string, number>
}

/** What a rule said at one event. `absent`: it looked at something that is not there yet. */
export type RuleResult =
  | { readonly kind: "held"; readonly value: boolean }
  | { readonly kind: "absent"; readonly reason: string }
  | { readonly kind: "broken"; readonly reason: string }
