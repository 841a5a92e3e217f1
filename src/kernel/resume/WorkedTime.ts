/** How long agents have worked on a task, as the processes that ran them recorded it. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"

/**
 * How long an agent had worked on a task, in milliseconds, as far as that is known: up to its last request to a model, and
 * from there what is known to have passed until that was answered and the longest of the commands that followed took. No
 * clock's time is read: each process measured by its own monotonic clock. 0 where no request carries it. Pure.
 *
 * @param agentId the agent, in a task with several
 */
export const workedMs = (events: ReadonlyArray<Event>, agentId?: string): number => {
  let asked: { readonly id: string; readonly ms: number } | undefined
  const commands = new Set<string>()
  let answeredMs = 0
  let longestMs = 0
  for (const event of events) {
    if (is(event, "ModelCalled")) {
      const { workedMs: ms } = event.payload
      if (ms === undefined || event.payload.agentId !== agentId) continue
      asked = { id: event.id, ms }
      answeredMs = ms
      longestMs = 0
      commands.clear()
    } else if (is(event, "ModelResponded") || is(event, "ModelFailed")) {
      if (event.causationId === asked?.id) answeredMs = asked.ms + event.payload.latencyMs
    } else if (is(event, "ActuatorCommanded")) {
      if (event.payload.agentId === agentId && event.payload.callId !== undefined) commands.add(event.payload.commandId)
    } else if (is(event, "CommandSucceeded") || is(event, "CommandFailed")) {
      if (commands.has(event.payload.commandId)) longestMs = Math.max(longestMs, event.payload.latencyMs ?? 0)
    }
  }
  return asked === undefined ? 0 : answeredMs + longestMs
}
