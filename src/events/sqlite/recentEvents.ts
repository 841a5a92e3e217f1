/** The events that this process appended last, kept in memory: reading them again takes no query. */

import type { Sequenced } from "../append/Sequencer.ts"
import type { Query } from "../log/EventLog.ts"
import { matches } from "../read/QueryMatch.ts"
import type { Event } from "../vocabulary/Event.ts"
import type { Upcast } from "../vocabulary/Upcaster.ts"

/** Most events that are kept. */
const MAX_EVENTS = 2048

/** Most characters of payloads that are kept. */
const MAX_CHARACTERS = 4 * 1024 * 1024

/** The newest events of a log, as far as this process appended them one directly after the other. */
export interface RecentEvents {
  /** Takes note of rows that were committed, each directly after the one before. */
  readonly committed: (batch: Sequenced) => void
  /** Drops everything that is kept: events up to this position are read where they are. */
  readonly startAfter: (position: number) => void
  /** Whether everything that a query selects is kept. */
  readonly has: (query: Query) => boolean
  /** A page of a query; undefined if it may have events that are not kept here. */
  readonly page: (query: Query, limit: number) => ReadonlyArray<Event> | undefined
}

/** An event that is kept: its envelope, and the text of its payload. */
interface Kept {
  readonly event: Omit<Event, "payload">
  readonly text: string
}

/**
 * The recent events of a log, of which none is kept yet. Each read parses payloads anew, so that what a reader does to an event
 * reaches nobody else.
 */
export const make = (upcast: Upcast): RecentEvents => {
  let kept: Array<Kept> = []
  let characters = 0
  /** All events after `from` and up to `last` are kept. */
  let from = Number.POSITIVE_INFINITY
  let last = 0

  const startAfter = (position: number) => {
    kept = []
    characters = 0
    from = position
    last = position
  }

  const keep = (event: Event, text: string) => {
    // What a personal field reads as depends on its key, which may be destroyed at any time.
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
      // Of a long batch, the first ones would not be kept.
      const skipped = Math.max(0, rows.length - MAX_EVENTS)
      if (skipped > 0) startAfter(first.position + skipped - 1)
      for (let index = skipped; index < rows.length; index++) {
        const row = rows[index]
        if (row === undefined) continue
        const { blob, text } = validated[index] ?? { blob: null, text: "" }
        // What is stored apart from its event is read there.
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

/** The caller of the append gets the event itself, and may change it. Field by field, for that takes a quarter of a spread's time. */
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
