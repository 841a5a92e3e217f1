import { Effect, Layer, Option, PubSub } from "effect"
import * as Chain from "./Chain.ts"
import type { Event } from "./Event.ts"
import { EventLog, type Head, type Query, Verification } from "./EventLog.ts"
import { follow } from "./Follow.ts"
import * as Pages from "./Pages.ts"
import * as Sequencer from "./Sequencer.ts"
import * as Vocabulary from "./Vocabulary.ts"
import * as Writer from "./Writer.ts"

/**
 * A log in plain memory, for tests and throw-away runs: the same admission, sequencing, chain and group commit as on
 * disk, with arrays for storage. It keeps each payload as text, so that no caller's later change reaches the log.
 */
export const layer = (options: { readonly vocabulary?: Vocabulary.Vocabulary } = {}): Layer.Layer<EventLog> =>
  Layer.scoped(
    EventLog,
    Effect.gen(function* () {
      const rows: Array<{ readonly envelope: Event; readonly text: string }> = []
      const positionsById = new Map<string, number>()
      const versions = new Map<string, number>()
      const committed = yield* PubSub.sliding<void>(1)
      let head: Head = { position: 0, hash: Chain.GENESIS }

      const eventAt = (position: number): Event | undefined => {
        const row = rows[position - 1]
        return row === undefined ? undefined : { ...row.envelope, payload: JSON.parse(row.text) }
      }
      const find = (id: string): Event | undefined => eventAt(positionsById.get(id) ?? 0)

      const readPage = (query: Query, limit: number) =>
        Effect.sync(() => {
          const page: Array<Event> = []
          const until = Math.min(query.until ?? head.position, head.position)
          for (let position = (query.after ?? 0) + 1; position <= until && page.length < limit; position++) {
            const row = rows[position - 1]
            if (row !== undefined && matches(row.envelope, query)) {
              page.push({ ...row.envelope, payload: JSON.parse(row.text) })
            }
          }
          return page
        })

      const append = yield* Writer.make("memory", options.vocabulary ?? Vocabulary.core, (requests) =>
        Effect.gen(function* () {
          const version = (timeline: string, stream: string) => versions.get(`${timeline}\0${stream}`) ?? 0
          const batch = Sequencer.sequence({ head, version, find }, requests, Date.now())
          for (const [index, event] of batch.rows.entries()) {
            rows.push({ envelope: event, text: batch.texts[index] ?? "" })
            positionsById.set(event.id, event.position)
            versions.set(`${event.timeline}\0${event.stream}`, event.version)
          }
          head = batch.head
          if (batch.rows.length > 0) yield* PubSub.publish(committed, undefined)
          return yield* Effect.forEach(requests, (request, index) =>
            Sequencer.answer(request, batch.placements[index], (query) => readPage(query, Sequencer.MAX_MISSED)),
          )
        }),
      )

      return {
        name: "memory",
        append,
        read: (query = {}) => Pages.stream(readPage, query),
        readPage,
        find: (id) => Effect.sync(() => Option.fromNullable(find(id))),
        head: Effect.sync(() => head),
        follow: (query = {}) => follow({ head: Effect.sync(() => head), readPage, committed }, query),
        verify: Effect.sync(() => {
          let hash = Chain.GENESIS
          for (const { envelope, text } of rows) {
            hash = Chain.link(hash, { ...envelope, keyId: null, payload: text })
            if (hash !== envelope.hash) {
              return Verification.Tampered({
                position: envelope.position,
                reason: "its content does not give its hash",
              })
            }
          }
          return Verification.Intact({ head, events: rows.length })
        }),
      }
    }),
  )

const matches = (event: Event, query: Query): boolean =>
  (query.timeline === undefined || event.timeline === query.timeline) &&
  (query.stream === undefined || event.stream === query.stream) &&
  (query.afterVersion === undefined || event.version > query.afterVersion) &&
  (query.taskId === undefined || event.taskId === query.taskId) &&
  (query.types === undefined || query.types.includes(event.type))
