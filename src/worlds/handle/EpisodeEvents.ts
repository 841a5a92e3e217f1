/** The events of an episode that concern one agent, as they come. */

import { Effect, Stream } from "effect"
import { CaughtUp, type EventLog, type LogError } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { Json } from "../../values/Json.ts"

/** Later events of a task, of the given types, that concern an agent (undefined: any), up to the task's end. */
export const laterEvents = (
  log: EventLog.Service,
  taskId: string,
  agent: string | undefined,
  types: ReadonlyArray<string>,
): Effect.Effect<Stream.Stream<Event, LogError>, LogError> =>
  Effect.gen(function* () {
    const { position } = yield* log.head
    // Events that end a command do not name its agent; its request does, and may be earlier.
    const followed = [...types, "ActuatorCommanded", "TaskClosed"]
    const concerns = agent === undefined ? () => true : concerning(agent)
    return log.follow({ taskId, types: followed }).pipe(
      Stream.filter((item): item is Event => !(item instanceof CaughtUp) && concerns(item)),
      Stream.dropWhile((event) => event.position <= position),
      Stream.takeUntil(({ type }) => type === "TaskClosed"),
      Stream.filter(({ type }) => types.includes(type)),
    )
  })

/**
 * Returns a predicate for events that concern an agent or name none. It must see all events in order: events that end a
 * command name only the command.
 */
const concerning = (agent: string): ((event: Event) => boolean) => {
  const others = new Set<Json | undefined>()
  return ({ type, payload: { agentId, commandId } }) => {
    if (type === "ActuatorCommanded" && agentId !== agent) others.add(commandId)
    return (agentId === undefined || agentId === agent) && (commandId === undefined || !others.has(commandId))
  }
}
