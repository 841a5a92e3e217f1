/**
 * Finds out whether the log contains the state of a world. It lacks the state after a command whose answer could not be
 * recorded. Pure.
 */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"

/**
 * The position of a plugin's last success without a recorded result, if no state was recorded with it or since. A later
 * command with a complete record shows that the document is current.
 *
 * @param events the task's events, up to the position of interest
 * @param actuatorOf the full name of a command's actuator, by the id of the command
 */
export const lastIn = (
  plugin: string,
  events: ReadonlyArray<Event>,
  actuatorOf: ReadonlyMap<string, string>,
): number | undefined => {
  let last: number | undefined
  for (const event of events) {
    if (DOCUMENTS.has(event.type) && event.payload.plugin === plugin) last = undefined
    if (!is(event, "CommandSucceeded") || !actuatorOf.get(event.payload.commandId)?.startsWith(`${plugin}/`)) continue
    last = event.payload.unrecorded === undefined ? undefined : event.position
  }
  return last
}

const DOCUMENTS: ReadonlySet<string> = new Set(["EnvironmentReset", "EnvironmentChanged", "EnvironmentRestored"])
