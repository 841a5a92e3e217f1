/** The outcomes of commands, and the reasons of those that were stopped. */

import type { Event } from "../../../events/vocabulary/Event.ts"
import type { Failure } from "../../../events/vocabulary/EventType.ts"
import type { Json, JsonObject } from "../../../values/Json.ts"

/**
 * Only `succeeded` and `failed` commands were certainly executed. `unknown`: the kernel ended between the dispatch and
 * the outcome.
 */
export type CommandOutcome = {
  readonly commandId: string
  /** `plugin/actuator` */
  readonly actuator: string
  readonly args: JsonObject
  readonly event: Event
} & (
  | {
      readonly status: "succeeded"
      readonly result: Json
      /** Why the result could not be recorded; `result` is null then. The command took effect all the same. */
      readonly unrecorded?: string
    }
  | { readonly status: "failed"; readonly error: Failure }
  | { readonly status: "denied"; readonly rule: string; readonly reason: string }
  | { readonly status: "expired"; readonly reason: string }
  | { readonly status: "unknown"; readonly reason: string }
)

export const UNKNOWN_REASON = "its kernel ended after the command was dispatched; whether it took effect is not known"

/** Includes the actuator's own explanation, if it gave one. */
export const unknownReason = (doubt: string | undefined): string =>
  doubt === undefined ? UNKNOWN_REASON : `${UNKNOWN_REASON} (${doubt})`

export const OUT_OF_TIME = "its agent's budget of time was used up"

export const INTERRUPTED = "an input interrupted it"

export const wasStopped = (outcome: CommandOutcome, reason: string): boolean =>
  outcome.status === "failed"
    ? outcome.error.code === "Interrupted" && outcome.error.message.startsWith(reason)
    : outcome.status === "denied" && outcome.rule === "interrupted" && outcome.reason.startsWith(reason)
