import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import type { JsonObject } from "../../values/Json.ts"
import type { CommandOutcome } from "../acting/Command.ts"

/** How a command ended, and the last event that belongs to its end. */
export interface RecordedOutcome {
  readonly outcome: CommandOutcome
  readonly until: number
}

/** How each command of a task ended, by its id, as its caller was told then. One whose end is not known has none. */
export const outcomes = (events: ReadonlyArray<Event>): ReadonlyMap<string, RecordedOutcome> => {
  const commands = new Map<string, { readonly actuator: string; readonly args: JsonObject }>()
  const ends = new Map<string, string>()
  const expired = new Set<string>()
  const ended = new Map<string, RecordedOutcome>()
  for (const event of events) {
    if (is(event, "ActuatorCommanded")) {
      const { commandId, actuator, args } = event.payload
      commands.set(commandId, { actuator, args: args as JsonObject })
    } else if (is(event, "ConfirmationExpired")) expired.add(event.id)
    else if (is(event, "EnvironmentChanged")) {
      // What a command changed is recorded with its end.
      const commandId = event.causationId === null ? undefined : ends.get(event.causationId)
      const end = commandId === undefined ? undefined : ended.get(commandId)
      if (commandId !== undefined && end !== undefined) ended.set(commandId, { ...end, until: event.position })
    } else {
      const outcome = outcomeOf(event, commands, expired)
      if (outcome === undefined) continue
      ended.set(outcome.commandId, { outcome, until: event.position })
      ends.set(event.id, outcome.commandId)
    }
  }
  return ended
}

const outcomeOf = (
  event: Event,
  commands: ReadonlyMap<string, { readonly actuator: string; readonly args: JsonObject }>,
  expired: ReadonlySet<string>,
): CommandOutcome | undefined => {
  const { commandId } = event.payload
  const command = typeof commandId === "string" ? commands.get(commandId) : undefined
  if (command === undefined || typeof commandId !== "string") return undefined
  const of = { commandId, ...command, event }
  // With its keys in the order in which they were handed out then: an agent may put it into words.
  if (is(event, "CommandSucceeded")) return { status: "succeeded", ...of, result: event.payload.result }
  if (is(event, "CommandFailed")) return { status: "failed", ...of, error: event.payload.error }
  if (!is(event, "CommandDenied")) return undefined
  const { rule, reason } = event.payload
  return event.causationId !== null && expired.has(event.causationId)
    ? { status: "expired", ...of, reason }
    : { status: "denied", ...of, rule, reason }
}
