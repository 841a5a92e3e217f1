/** Reads the outlines of events page by page. Reads payloads only where outlines need them. */

import { Effect } from "effect"
import type { EventLog, LogError, Query } from "../../events/log/EventLog.ts"
import type { Envelope, Records } from "../../events/read/Records.ts"
import { splitBySpan } from "../../events/read/Timelines.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { yieldToEventLoop } from "../../platform/yieldToEventLoop.ts"
import type { TimelineHistory } from "../../projections/timetravel/TimelineHistory.ts"
import { isTelling, type Outlined, outlined, TELLING } from "../course/Outline.ts"

export interface Reading {
  readonly log: EventLog.Service
  readonly records: Records.Service
}

/** Events per page. A read of a range of this many positions needs no index. */
const PAGE = 2000

/** Calls `take` with every page of the selected events. */
export const forEach = (
  { log, records }: Reading,
  query: Query,
  take: (page: ReadonlyArray<Outlined>) => Effect.Effect<void>,
): Effect.Effect<void, LogError> =>
  Effect.gen(function* () {
    let { after = 0 } = query
    for (;;) {
      const page = yield* records.envelopes({ ...query, after }, PAGE)
      yield* take(merged(page, yield* tellingOf(log, query, page)))
      if (page.length < PAGE) return
      after = page.at(-1)?.position ?? after
      yield* yieldToEventLoop
    }
  })

/** Like `forEach`, over a history, which includes its ancestors' events. */
export const forEachOf = (
  reading: Reading,
  { spans }: TimelineHistory,
  query: Omit<Query, "timeline">,
  take: (page: ReadonlyArray<Outlined>) => Effect.Effect<void>,
): Effect.Effect<void, LogError> =>
  Effect.forEach(splitBySpan(spans, query), (part) => forEach(reading, part, take), { discard: true })

/** The events of a page whose payload matters. */
const tellingOf = (log: Reading["log"], query: Query, page: ReadonlyArray<Envelope>) => {
  const those = page.filter(isTelling)
  const [first, last] = [those[0], those.at(-1)]
  if (first === undefined || last === undefined) return Effect.succeed([])
  return log.readPage(
    { ...query, after: first.position - 1, until: last.position, types: TELLING, whole: true },
    those.length,
  )
}

const merged = (page: ReadonlyArray<Envelope>, read: ReadonlyArray<Event>): ReadonlyArray<Outlined> => {
  let next = 0
  return page.map((envelope) => {
    const event = isTelling(envelope) ? read[next++] : undefined
    return outlined(envelope, event)
  })
}
