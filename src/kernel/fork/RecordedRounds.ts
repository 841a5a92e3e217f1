/** Finds the commands of a task that reached a world together. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"

/**
 * The commands of each recorded round of a world, in the order of their dispatch, by the id of each of them. A command
 * that reached the world by itself is missing.
 *
 * The change of the document names the commands of its round. A round of one command is told from a command by what
 * caused the change: the dispatch of the round's last command, and not the outcome of the command.
 */
export const roundsOf = (plugin: string, events: ReadonlyArray<Event>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const dispatched = new Map<string, string>()
  const rounds = new Map<string, ReadonlyArray<string>>()
  for (const event of events) {
    if (is(event, "CommandDispatched")) dispatched.set(event.id, event.payload.commandId)
    if (!is(event, "EnvironmentChanged") || event.payload.plugin !== plugin) continue
    const only = event.causationId === null ? undefined : dispatched.get(event.causationId)
    const { commands = only === undefined ? [] : [only] } = event.payload
    for (const commandId of commands) rounds.set(commandId, commands)
  }
  return rounds
}
