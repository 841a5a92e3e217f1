/**
 * The event log in memory, for tests and throw-away runs. It shares validation, sequencing, chain and group commit with
 * the SQLite log.
 */

import { Context, Effect, Either, Layer, Option } from "effect"
import * as Options from "../../values/Options.ts"
import * as AppendValidation from "../append/AppendValidation.ts"
import * as Sequencer from "../append/Sequencer.ts"
import * as Writer from "../append/Writer.ts"
import * as Chain from "../integrity/Chain.ts"
import * as Verifier from "../integrity/Verifier.ts"
import { EventLog, MAIN, ON_MAIN, type Query } from "../log/EventLog.ts"
import { Lease } from "../log/Lease.ts"
import { Presence } from "../log/Presence.ts"
import { Snapshots, upcastVersionsOf } from "../log/Snapshots.ts"
import { Verification, VerifyOptions } from "../log/Verification.ts"
import * as PersonalDataOf from "../payload/PersonalData.ts"
import { PersonalData } from "../payload/PersonalData.ts"
import * as PersonalDataKeys from "../payload/PersonalDataKeys.ts"
import * as StoredPayload from "../payload/StoredPayload.ts"
import * as TaskSubjects from "../payload/TaskSubjects.ts"
import * as CommitNotifier from "../read/CommitNotifier.ts"
import * as ExpandedReads from "../read/ExpandedReads.ts"
import { follow } from "../read/Follow.ts"
import * as LastPositions from "../read/LastPositions.ts"
import * as Pages from "../read/Pages.ts"
import { matches } from "../read/QueryMatch.ts"
import { type Event, type Head, isEventId } from "../vocabulary/Event.ts"
import * as Vocabulary from "../vocabulary/Vocabulary.ts"
import * as MemoryLease from "./MemoryLease.ts"
import * as MemorySnapshots from "./MemorySnapshots.ts"

/** Options of a log in memory. */
export interface MemoryOptions {
  /** Event types that appends are validated against. Default: Hindcast's own. */
  readonly vocabulary?: Vocabulary.Vocabulary
}

/** Schema of `MemoryOptions`. */
export const MemoryOptions = Options.of<MemoryOptions>({ optional: { vocabulary: Vocabulary.Vocabulary } })

/**
 * Opens a log in memory with lease, snapshots and personal data. It keeps payloads as text, so a caller's later changes
 * do not reach it.
 */
export const layer = (
  options: MemoryOptions = {},
): Layer.Layer<EventLog | Lease | Presence | Snapshots | PersonalData, Options.InvalidOptions> =>
  layerOver(new Map(), options)

/** Opens a log in memory with large payloads in this map, by digest. */
export const layerOver = (
  blobs: Map<string, string>,
  options: MemoryOptions = {},
): Layer.Layer<EventLog | Lease | Presence | Snapshots | PersonalData, Options.InvalidOptions> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const { vocabulary = Vocabulary.core } = yield* Options.decode("layerMemory", MemoryOptions, options)
      const keys = PersonalDataKeys.memory()
      const log = yield* make(vocabulary, keys, blobs)
      const snapshots = MemorySnapshots.make(upcastVersionsOf(vocabulary), keys)
      const personalData = PersonalDataOf.make({ log, keys: PersonalDataOf.storeOf(keys, Effect.sync), snapshots })
      return Context.make(EventLog, log).pipe(
        Context.add(Lease, MemoryLease.make("memory")),
        Context.add(Presence, MemoryLease.presence()),
        Context.add(Snapshots, snapshots),
        Context.add(PersonalData, personalData),
      )
    }),
  )

const make = (vocabulary: Vocabulary.Vocabulary, keys: PersonalDataKeys.Keys, blobs: Map<string, string>) =>
  Effect.gen(function* () {
    const rows: Array<Row> = []
    const payloadReader = { blob: (digest: string) => blobs.get(digest), keys }
    const positionsById = new Map<string, number>()
    const versions = new Map<string, number>()
    const commits = CommitNotifier.make()
    const last = LastPositions.make()
    last.startAfter(0)
    let head: Head = { position: 0, hash: Chain.GENESIS }

    const eventAt = (position: number): Event | undefined => {
      const row = rows[position - 1]
      return row && eventOf(payloadReader, row)
    }
    const find = (id: string): Event | undefined => eventAt(positionsById.get(id) ?? 0)

    const page = (query: Query, limit: number) => {
      const events: Array<Event> = []
      const until = Math.min(query.until ?? head.position, head.position)
      for (let position = (query.after ?? 0) + 1; position <= until && events.length < limit; position++) {
        const row = rows[position - 1]
        if (row !== undefined && matches(query, row.envelope)) events.push(eventOf(payloadReader, row))
      }
      return events
    }
    const expanded = ExpandedReads.make({
      name: "memory",
      readPage: (query, limit) => Effect.sync(() => page(query, limit)),
    })
    const readPage = Pages.checked(expanded.readPage)
    const findWhole = (id: string) => Effect.sync(() => Option.fromNullable(find(id)))

    const version = (timeline: string, stream: string) => versions.get(Sequencer.streamKey(timeline, stream)) ?? 0
    const subjects = TaskSubjects.make((stream) => page({ timeline: MAIN, stream }, 1)[0])
    const append = yield* Writer.make("memory", AppendValidation.make(vocabulary, keys, subjects), (requests) => {
      const batch = Sequencer.sequence({ head, version, find }, requests, Date.now())
      for (const [index, event] of batch.rows.entries()) {
        const { stored = "", blob = null } = batch.validated[index] ?? {}
        rows.push({ envelope: { ...event }, payload: stored, keyId: event.personal?.keyId ?? null })
        if (blob !== null) blobs.set(blob.digest, blob.text)
        positionsById.set(event.id, event.position)
        versions.set(Sequencer.streamKey(event.timeline, event.stream), event.version)
      }
      head = batch.head
      last.take(batch.rows)
      commits.notify(batch.rows)
      const missed = Sequencer.readingOnce(page)
      return Either.right(requests.map((_, index) => Sequencer.toResult(batch.placements[index], missed)))
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
            .findLast(({ envelope }) => matches({ timeline, stream }, envelope))
          return earlier?.envelope.version ?? 0
        }),
    }

    return EventLog.of({
      name: "memory",
      ...ON_MAIN,
      append,
      read: (query) => Pages.stream(readPage, query ?? {}),
      readPage,
      find: (id) => (isEventId(id) ? findWhole(id) : expanded.within(findWhole, id)),
      versionOf: (stream, timeline = MAIN) => Effect.sync(() => version(timeline, stream)),
      head: Effect.sync(() => head),
      follow: (query) =>
        follow({ head: Effect.sync(() => head), readPage, commits, mayHave: last.mayHave }, query ?? {}),
      onCommit: commits.listen,
      mayHave: (query) => last.mayHave(ExpandedReads.widened(query)),
      verify: verifyChain(source),
      verifyWith: (given) =>
        Effect.flatMap(Options.decode("verifyWith", VerifyOptions, given), (options) => verifyChain(source, options)),
      verifyRange: Verifier.ranges(source),
    })
  })

/** Arrays have no indexes that could differ from the chain. */
const verifyChain = (source: Verifier.Source, options: VerifyOptions = {}) =>
  Effect.map(Verifier.verify(source, options, options.verified), (chained) => {
    const told = chained.broken === null ? `${chained.events} events` : `broken at @${chained.broken.position}`
    const looks = [{ what: "chain", looked: true, told }]
    if (chained.broken !== null) return Verification.Tampered({ ...chained.broken, looks, findings: [] })
    return Verification.Intact({ head: chained.head, events: chained.events, looks })
  })

interface Row extends StoredPayload.StoredContent {
  readonly envelope: Event
}

const eventOf = (payloadReader: StoredPayload.PayloadReader, row: Row): Event => {
  const { payload, personal } = StoredPayload.read(payloadReader, row.envelope.id, row)
  return personal === undefined ? { ...row.envelope, payload } : { ...row.envelope, payload, personal }
}

const stored = ({ envelope, payload, keyId }: Row) => ({
  link: envelope,
  payload,
  keyId,
  hash: envelope.hash,
  flaw: null,
})
