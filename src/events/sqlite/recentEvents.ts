/** Keeps this process's last appended events in memory, so that reading them takes no query. */

import type { Sequenced } from "../append/Sequencer.ts"
import type { Query } from "../log/EventLog.ts"
import { matches } from "../read/QueryMatch.ts"
import type { Event } from "../vocabulary/Event.ts"
import type { Upcast } from "../vocabulary/Upcaster.ts"

const MAX_EVENTS = 2048

const MAX_CHARACTERS = 4 * 1024 * 1024

/** The newest events of a log, as far as this process appended them in succession. */
export interface RecentEvents {
  /** Notes committed rows, each directly after the one before. */
  readonly committed: (batch: Sequenced) => void
  /** Drops everything: events up to this position are read where they are. */
  readonly startAfter: (position: number) => void
  /** True if it keeps everything that a query selects. */
  readonly has: (query: Query) => boolean
  /** A page of a query; undefined if it may lack some of the events. */
  readonly page: (query: Query, limit: number) => ReadonlyArray<Event> | undefined
}

interface Kept {
  readonly event: Omit<Event, "payload">
  readonly text: string
}

/** Creates an empty memory. Each read parses payloads, so that no reader's changes reach another. */
export const make = (upcast: Upcast): RecentEvents => {
  let kept: Array<Kept> = []
  let characters = 0
  /** Complete after `from`, up to `last`. */
  let from = Number.POSITIVE_INFINITY
  let last = 0

  const startAfter = (position: number) => {
    kept = []
    characters = 0
    from = position
    last = position
  }

  const keep = (event: Event, text: string) => {
    // A personal field reads by its key, which may be destroyed at any time.
    if (event.personal !== undefined || text.length > MAX_CHARACTERS) return startAfter(event.position)
    kept.push({ event: envelopeOf(event), text })
    characters += text.length
    if (kept.length <= MAX_EVENTS && characters <= MAX_CHARACTERS) return
    const dropped = kept.splice(0, Math.ceil(kept.length / 2))
    for (const { text } of dropped) characters -= text.length
    from = dropped.at(-1)?.event.position ?? from
  }

  return {
    startAfter,
    committed: ({ rows, validated }) => {
      const [first] = rows
      if (first === undefined) return
      if (first.position !== last + 1 || from > last) startAfter(first.position - 1)
      // The first events of a long batch would be dropped at once.
      const skipped = Math.max(0, rows.length - MAX_EVENTS)
      if (skipped > 0) startAfter(first.position + skipped - 1)
      for (let index = skipped; index < rows.length; index++) {
        const row = rows[index]
        if (row === undefined) continue
        const { blob, text } = validated[index] ?? { blob: null, text: "" }
        // Blobs are read from the file.
        if (blob === null) keep(row, text)
        else startAfter(row.position)
        last = row.position
      }
    },
    has: ({ after = 0 }) => after >= from,
    page: (query, limit) => {
      const { after = 0 } = query
      if (after < from) return undefined
      const events: Array<Event> = []
      for (let index = after - from; index < kept.length && events.length < limit; index++) {
        const found = kept[index]
        if (found !== undefined && matches(query, found.event)) events.push(eventOf(found, upcast))
      }
      return events
    },
  }
}

/** The append's caller gets the event itself and may change it. Copying by field takes a quarter of a spread's time. */
const envelopeOf = (event: Event): Kept["event"] => ({
  position: event.position,
  id: event.id,
  timeline: event.timeline,
  stream: event.stream,
  version: event.version,
  type: event.type,
  schemaVersion: event.schemaVersion,
  taskId: event.taskId,
  causationId: event.causationId,
  actor: event.actor,
  occurredAt: event.occurredAt,
  recordedAt: event.recordedAt,
  hash: event.hash,
})

const eventOf = ({ event, text }: Kept, upcast: Upcast): Event => ({
  ...event,
  payload: upcast(event.type, event.schemaVersion, JSON.parse(text)),
})
