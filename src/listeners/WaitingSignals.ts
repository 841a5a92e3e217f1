/** The signals of the log that still wait for their tasks. */

import { Effect, Option, Stream } from "effect"
import type { EventLog, LogError } from "../events/log/EventLog.ts"
import { Records } from "../events/read/Records.ts"
import { is } from "../events/vocabulary/Vocabulary.ts"
import { streamOf } from "./Listener.ts"

/** Events of a read without contents. */
const PAGE = 4_096

/**
 * The positions of listeners' signals up to a position that have no task, oldest first. A signal that was undelivered
 * waits again. Reads no contents if the log can leave them out: there may be many, and all but a few are done.
 */
export const positions = (
  log: EventLog.Service,
  listeners: ReadonlySet<string>,
  until: number,
): Effect.Effect<ReadonlyArray<number>, LogError> =>
  Effect.gen(function* () {
    const records = Option.getOrUndefined(yield* Effect.serviceOption(Records))
    const waiting = new Set<number>()
    for (const listener of listeners) {
      const query = { timeline: log.timeline, stream: streamOf(listener), until }
      for (let after = 0; ; ) {
        const asked = { ...query, types: ["SignalReceived"], after }
        const page = yield* records === undefined ? log.readPage(asked, PAGE) : records.envelopes(asked, PAGE)
        for (const { position } of page) waiting.add(position)
        after = page.at(-1)?.position ?? after
        if (page.length < PAGE) break
      }
      yield* Stream.runForEach(log.read({ ...query, types: ["SignalHandled"] }), (event) =>
        Effect.sync(() => {
          if (is(event, "SignalHandled") && event.payload.how !== "undelivered") waiting.delete(event.payload.signal)
        }),
      )
    }
    return [...waiting].sort((a, b) => a - b)
  })
