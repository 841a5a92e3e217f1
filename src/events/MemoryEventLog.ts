import { Effect, Either, Layer, Option } from "effect"
import * as Chain from "./Chain.ts"
import * as Commits from "./Commits.ts"
import type { Event } from "./Event.ts"
import { EventLog, type Head, type Query } from "./EventLog.ts"
import { follow } from "./Follow.ts"
import * as MemorySnapshots from "./MemorySnapshots.ts"
import * as Pages from "./Pages.ts"
import * as Sequencer from "./Sequencer.ts"
import { readingOf, Snapshots } from "./Snapshots.ts"
import * as Verifier from "./Verifier.ts"
import * as Vocabulary from "./Vocabulary.ts"
import * as Writer from "./Writer.ts"

/**
 * A log in plain memory, for tests and throw-away runs: the same admission, sequencing, chain and group commit as on
 * disk, with arrays for storage. It keeps each payload as text, so that no caller's later change reaches the log.
 */
export const layer = (options: MemoryOptions = {}): Layer.Layer<EventLog | Snapshots> =>
  Layer.merge(
    layerLog(options),
    Layer.sync(Snapshots, () => MemorySnapshots.make(readingOf(options.vocabulary ?? Vocabulary.core))),
  )

interface MemoryOptions {
  readonly vocabulary?: Vocabulary.Vocabulary
}

const layerLog = (options: MemoryOptions): Layer.Layer<EventLog> =>
  Layer.scoped(
    EventLog,
    Effect.gen(function* () {
      const rows: Array<{ readonly envelope: Event; readonly text: string }> = []
      const positionsById = new Map<string, number>()
      const versions = new Map<string, number>()
      const commits = Commits.make()
      let head: Head = { position: 0, hash: Chain.GENESIS }

      const eventAt = (position: number): Event | undefined => {
        const row = rows[position - 1]
        return row === undefined ? undefined : { ...row.envelope, payload: JSON.parse(row.text) }
      }
      const find = (id: string): Event | undefined => eventAt(positionsById.get(id) ?? 0)

      const page = (query: Query, limit: number) => {
        const events: Array<Event> = []
        const until = Math.min(query.until ?? head.position, head.position)
        for (let position = (query.after ?? 0) + 1; position <= until && events.length < limit; position++) {
          const row = rows[position - 1]
          if (row !== undefined && matches(row.envelope, query)) {
            events.push({ ...row.envelope, payload: JSON.parse(row.text) })
          }
        }
        return events
      }
      const readPage = (query: Query, limit: number) => Effect.sync(() => page(query, limit))

      const append = yield* Writer.make("memory", options.vocabulary ?? Vocabulary.core, (requests) => {
        const version = (timeline: string, stream: string) => versions.get(`${timeline}\0${stream}`) ?? 0
        const batch = Sequencer.sequence({ head, version, find }, requests, Date.now())
        for (const [index, event] of batch.rows.entries()) {
          rows.push({ envelope: event, text: batch.texts[index] ?? "" })
          positionsById.set(event.id, event.position)
          versions.set(`${event.timeline}\0${event.stream}`, event.version)
        }
        head = batch.head
        commits.announce()
        return Either.right(requests.map((request, index) => Sequencer.answer(request, batch.placements[index], page)))
      })

      const source: Verifier.Source = {
        head: Effect.sync(() => head),
        page: (after, limit) =>
          Effect.sync(() => {
            const start = Math.max(0, after)
            return rows.slice(start, start + limit).map(stored)
          }),
        versionBefore: (timeline, stream, position) =>
          Effect.sync(() => {
            const earlier = rows
              .slice(0, position - 1)
              .findLast(({ envelope }) => matches(envelope, { timeline, stream }))
            return earlier?.envelope.version ?? 0
          }),
      }

      return {
        name: "memory",
        append,
        read: (query = {}) => Pages.stream(readPage, query),
        readPage,
        find: (id) => Effect.sync(() => Option.fromNullable(find(id))),
        head: Effect.sync(() => head),
        follow: (query = {}) => follow({ head: Effect.sync(() => head), readPage, commits }, query),
        verify: Verifier.verify(source),
        verifyWith: (options) => Verifier.verify(source, options),
      }
    }),
  )

const stored = ({ envelope, text }: { readonly envelope: Event; readonly text: string }) => ({
  link: envelope,
  payload: text,
  keyId: null,
  hash: envelope.hash,
  flaw: null,
})

const matches = (event: Event, query: Query): boolean =>
  (query.timeline === undefined || event.timeline === query.timeline) &&
  (query.stream === undefined || event.stream === query.stream) &&
  (query.afterVersion === undefined || event.version > query.afterVersion) &&
  (query.taskId === undefined || event.taskId === query.taskId) &&
  (query.types === undefined || query.types.includes(event.type))
