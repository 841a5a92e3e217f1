import type { Event } from "../../src/events/vocabulary/Event.ts"
import { is } from "../../src/events/vocabulary/Vocabulary.ts"
import * as Document from "../../src/workspace/model/Document.ts"

/** Each change: its kind, its path, and its cause: the call's id, several, or why there is none. */
export const told = (events: ReadonlyArray<Event>): ReadonlyArray<string> =>
  events.flatMap((event) => {
    if (!is(event, "EnvironmentChanged")) return []
    const { patch, commands, unattributed, inferred } = event.payload
    const cause = events.find(({ id }) => id === event.causationId)
    const callOf = (commandId: unknown) => {
      const command = events.find((one) => is(one, "ActuatorCommanded") && one.payload.commandId === commandId)
      return String(command?.payload.callId ?? "unknown")
    }
    const by = unattributed ?? (commands?.map(callOf).join("+") || callOf(cause?.payload.commandId))
    return Document.read(patch).map(({ path, state: { kind } }) =>
      [kind, path, "by", by, inferred?.cause].filter((word) => word !== undefined).join(" "),
    )
  })
