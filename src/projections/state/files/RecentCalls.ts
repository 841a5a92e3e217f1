/** The calls of a task that may still turn out to have changed files. */

import { Schema } from "effect"
import type { Event } from "../../../events/vocabulary/Event.ts"
import { is } from "../../../events/vocabulary/Vocabulary.ts"
import { editedFile } from "./EditTools.ts"

export const Call = Schema.Struct({
  id: Schema.String,
  /** Its last events, by which a change names it as its cause. */
  events: Schema.Array(Schema.String),
  outcome: Schema.Literal("open", "succeeded", "other"),
  /** The file that it says it changes, if it is an edit. */
  file: Schema.NullOr(Schema.String),
  /** Whether the recording had the file when the call began; null if no change has shown it yet. */
  had: Schema.NullOr(Schema.Boolean),
  /** A change names it as its only cause. */
  changed: Schema.Boolean,
  /** Another call ran at the same time, or something may have hidden the changes. */
  unclear: Schema.Boolean,
})

export type Call = typeof Call.Type

/** Maximum number that is remembered. */
export const MAX_CALLS = 100

/** Maximum number of a call's events that is remembered. */
const MAX_EVENTS = 8

const OUTCOMES: ReadonlySet<string> = new Set(["CommandFailed", "CommandDenied", "CommandOutcomeUnknown"])

/** The calls after one more event of the task. */
export const after = (
  calls: ReadonlyArray<Call>,
  event: Event,
  { root, had, isBlind }: { root: string; had: (file: string) => boolean | null; isBlind: boolean },
): ReadonlyArray<Call> => {
  const id = event.payload.commandId
  if (typeof id !== "string") return calls
  if (is(event, "ActuatorCommanded")) {
    const { actuator, args } = event.payload
    const file = editedFile(actuator, args, root) ?? null
    const overlaps = calls.some(({ outcome }) => outcome === "open")
    const call: Call = {
      id,
      events: [event.id],
      outcome: "open",
      file,
      had: file === null ? null : had(file),
      changed: false,
      unclear: overlaps || isBlind,
    }
    return [...(overlaps ? calls.map((other) => (other.outcome === "open" ? unclear(other) : other)) : calls), call]
  }
  if (!calls.some((call) => call.id === id)) return calls
  return calls.map((call) => {
    if (call.id !== id) return call
    const outcome = is(event, "CommandSucceeded") ? "succeeded" : OUTCOMES.has(event.type) ? "other" : call.outcome
    return { ...call, outcome, events: [...call.events.slice(1 - MAX_EVENTS), event.id] }
  })
}

export const unclear = (call: Call): Call => (call.unclear ? call : { ...call, unclear: true })
