/** Reads the outcomes of commands from a task's events, and the rounds in which they reached a world. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import type { JsonObject } from "../../values/Json.ts"
import { type CommandOutcome, unknownReason } from "../acting/Command.ts"

/** A command's outcome, and the position of the last event that belongs to it. */
export interface RecordedOutcome {
  readonly outcome: CommandOutcome
  readonly until: number
  /** The acting agent, in a task with several. */
  readonly agentId: string | undefined
}

/** Outcomes by command id, as the callers got them. Commands without an outcome are missing. */
export const outcomes = (events: ReadonlyArray<Event>): ReadonlyMap<string, RecordedOutcome> => {
  const commands = new Map<string, { readonly actuator: string; readonly args: JsonObject }>()
  const agents = new Map<string, string>()
  const ends = new Map<string, string>()
  const expired = new Set<string>()
  const ended = new Map<string, RecordedOutcome>()
  for (const event of events) {
    if (is(event, "ActuatorCommanded")) {
      const { commandId, actuator, args, agentId } = event.payload
      commands.set(commandId, { actuator, args: args as JsonObject })
      if (agentId !== undefined) agents.set(commandId, agentId)
    } else if (is(event, "CommandDispatched")) ends.set(event.id, event.payload.commandId)
    else if (is(event, "ConfirmationExpired")) expired.add(event.id)
    else if (FOLLOWING.has(event.type)) {
      // The log records changes and rewards of a command with its outcome. Those of a round follow its last dispatch.
      const commandId = event.causationId === null ? undefined : ends.get(event.causationId)
      const end = commandId === undefined ? undefined : ended.get(commandId)
      if (commandId !== undefined && end !== undefined) ended.set(commandId, { ...end, until: event.position })
    } else {
      const outcome = outcomeOf(event, commands, expired)
      if (outcome === undefined) continue
      ended.set(outcome.commandId, { outcome, until: event.position, agentId: agents.get(outcome.commandId) })
      ends.set(event.id, outcome.commandId)
    }
  }
  return ended
}

/** Events in the commit of the outcome that caused them. */
const FOLLOWING: ReadonlySet<string> = new Set([
  ...["EnvironmentChanged", "RewardGiven", "PunishmentGiven", "MeasureUnscored"],
])

const outcomeOf = (
  event: Event,
  commands: ReadonlyMap<string, { readonly actuator: string; readonly args: JsonObject }>,
  expired: ReadonlySet<string>,
): CommandOutcome | undefined => {
  const { commandId } = event.payload
  const command = typeof commandId === "string" ? commands.get(commandId) : undefined
  if (command === undefined || typeof commandId !== "string") return undefined
  const of = { commandId, ...command, event }
  // Keep the recorded order of keys: an agent may turn the result into text.
  if (is(event, "CommandSucceeded")) {
    const { result, unrecorded } = event.payload
    return {
      status: "succeeded",
      ...of,
      result,
      ...(unrecorded === undefined ? {} : { unrecorded: unrecorded.reason }),
    }
  }
  if (is(event, "CommandFailed")) return { status: "failed", ...of, error: event.payload.error }
  if (is(event, "CommandOutcomeUnknown"))
    return { status: "unknown", ...of, reason: unknownReason(event.payload.reason) }
  if (!is(event, "CommandDenied")) return undefined
  const { rule, reason } = event.payload
  return event.causationId !== null && expired.has(event.causationId)
    ? { status: "expired", ...of, reason }
    : { status: "denied", ...of, rule, reason }
}

/**
 * The commands of each round in order of dispatch, under the id of each. Leaves out commands that reached the world
 * alone; of repeated dispatches, the last counts.
 */
export const roundsOf = (events: ReadonlyArray<Event>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const rounds = new Map<string, Array<string>>()
  for (const event of events) {
    if (!is(event, "CommandDispatched")) continue
    const { commandId, round } = event.payload
    if (round === undefined) continue
    const commands = round === commandId ? [] : (rounds.get(round) ?? [])
    commands.push(commandId)
    rounds.set(commandId, commands)
  }
  return rounds
}
