/** The prompts, messages and calls of a recorded session up to a moment, for a new session to read. */

import { Effect, Stream } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import type { Json } from "../../values/Json.ts"
import { messageText } from "../../values/JsonObjects.ts"

export type Entry =
  | { readonly kind: "prompt" | "said"; readonly text: string; readonly agentId: string | undefined }
  | {
      readonly kind: "call"
      readonly tool: string
      readonly args: string
      readonly agentId: string | undefined
      /** Undefined if the call was in progress. */
      readonly outcome: Outcome | undefined
    }

export interface Outcome {
  readonly kind: "succeeded" | "failed" | "denied" | "unknown"
  readonly text: string
}

interface Asked {
  readonly taskIds: ReadonlyArray<string>
  /** The last position. */
  readonly until: number
}

/** In the log's order. A call has the place of its request. */
export const read = (
  log: Pick<EventLog.Service, "read" | "timeline">,
  { taskIds, until }: Asked,
): Effect.Effect<ReadonlyArray<Entry>, LogError> =>
  Effect.gen(function* () {
    const events: Array<Event> = []
    for (const taskId of taskIds)
      yield* Stream.runForEach(log.read({ timeline: log.timeline, taskId, types: TYPES, until }), (event) =>
        Effect.sync(() => events.push(event)),
      )
    return of(events)
  })

const TYPES = [
  ...["InputReceived", "MessageSent", "ActuatorCommanded"],
  ...["CommandSucceeded", "CommandFailed", "CommandDenied", "CommandOutcomeUnknown"],
]

export const of = (events: ReadonlyArray<Event>): ReadonlyArray<Entry> => {
  const outcomes = new Map<string, Outcome>()
  for (const event of events) {
    const outcome = outcomeOf(event)
    // The first outcome counts: a later one corrects it, but the agent never saw the correction.
    if (outcome !== undefined && !outcomes.has(outcome.commandId)) outcomes.set(outcome.commandId, outcome)
  }
  return events.flatMap((event): ReadonlyArray<Entry> => {
    if (is(event, "InputReceived")) {
      const { content, agentId } = event.payload
      return [{ kind: "prompt", text: messageText(content), agentId }]
    }
    if (is(event, "MessageSent")) {
      const { content, agentId } = event.payload
      return [{ kind: "said", text: content, agentId }]
    }
    if (!is(event, "ActuatorCommanded")) return []
    const { actuator, args, agentId, commandId } = event.payload
    const tool = actuator.slice(actuator.indexOf("/") + 1)
    return [{ kind: "call", tool, args: textOf(args), agentId, outcome: outcomes.get(commandId) }]
  })
}

const outcomeOf = (event: Event): (Outcome & { readonly commandId: string }) | undefined => {
  if (is(event, "CommandSucceeded")) {
    const { commandId, result } = event.payload
    return { commandId, kind: "succeeded", text: textOf(result) }
  }
  if (is(event, "CommandFailed")) {
    const { commandId, error } = event.payload
    return { commandId, kind: "failed", text: error.message }
  }
  if (is(event, "CommandDenied")) {
    const { commandId, reason, rule } = event.payload
    return { commandId, kind: "denied", text: reason ?? `by the rule ${rule}` }
  }
  if (!is(event, "CommandOutcomeUnknown")) return undefined
  const { commandId, reason } = event.payload
  return { commandId, kind: "unknown", text: reason ?? "" }
}

const textOf = (value: Json | undefined): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value)
