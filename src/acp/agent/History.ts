/** A session's past, from the log: what an editor shows when it loads the session. */

import { Effect, Stream } from "effect"
import * as ChannelEvent from "../../agents/channel/ChannelEvent.ts"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import type { JsonObject } from "../../values/Json.ts"
import * as Updates from "./Updates.ts"

/** Passes the updates of a task's events to `tell`, oldest first, until the log's head. */
export const replay = (
  taskId: string,
  cwd: string,
  tell: (update: JsonObject) => Effect.Effect<void>,
): Effect.Effect<void, LogError, EventLog> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { position: until } = yield* log.head
    let telling = ChannelEvent.initial
    let shown: Updates.Shown = { streamed: "", inProgress: new Set(), cwd }
    const updatesOf = (event: Event): ReadonlyArray<JsonObject> => {
      const opening = is(event, "TaskOpened") ? [Updates.messagePart("user_message_chunk", event.payload.goal)] : []
      const [next, happenings] = ChannelEvent.tell(telling, event, true)
      telling = next
      return [
        ...opening,
        ...happenings.flatMap((happening) => {
          const [after, updates] = Updates.of(shown, happening, true)
          shown = after
          return updates
        }),
      ]
    }
    yield* Pages.stream(log.readPage, { timeline: log.timeline, taskId, until }).pipe(
      Stream.runForEach((event) => Effect.forEach(updatesOf(event), tell, { discard: true })),
    )
  })
