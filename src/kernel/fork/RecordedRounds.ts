/** Finds the commands of a task that reached a world together. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"

/**
 * The commands of each recorded round of a world, in the order of their dispatch, by the id of each of them. A command
 * that reached the world by itself is missing. Of a round that was dispatched again, the last dispatch counts.
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
