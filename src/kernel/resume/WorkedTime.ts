/** How long agents have worked on a task, as recorded by their processes. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"

/**
 * The known working time, in milliseconds: up to the agent's last model call, plus that call's latency and the longest
 * of the following commands. Reads no clock: each process measured with its own monotonic one. 0 if no model call
 * carries a time.
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
      if (event.causationId === asked?.id) answeredMs = asked.ms + (event.payload.latencyMs ?? 0)
    } else if (is(event, "ActuatorCommanded")) {
      if (event.payload.agentId === agentId && event.payload.callId !== undefined) commands.add(event.payload.commandId)
    } else if (is(event, "CommandSucceeded") || is(event, "CommandFailed")) {
      if (commands.has(event.payload.commandId)) longestMs = Math.max(longestMs, event.payload.latencyMs ?? 0)
    }
  }
  return asked === undefined ? 0 : answeredMs + longestMs
}
