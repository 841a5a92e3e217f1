/** Commits groups of appends to the database, each in one transaction. */

import { Either } from "effect"
import { type CheckedAppend, seal, type ValidatedAppend } from "../append/AppendValidation.ts"
import type { AsyncCommit } from "../append/AsyncWriter.ts"
import * as Sequencer from "../append/Sequencer.ts"
import type { CommitResult } from "../append/Writer.ts"
import type { LogCorrupt, Query } from "../log/EventLog.ts"
import type { Event, Head } from "../vocabulary/Event.ts"
import type { Keys } from "./keys.ts"
import { missedBy } from "./missed.ts"
import { EMPTY, type Reader, readByIds, readPage } from "./read.ts"
import { insert } from "./rows.ts"
import type { Query as Run } from "./server/connection.ts"
import { codeOf, inDoubt, isLost, isUnreachable, statementError, tailLost } from "./server/errors.ts"

export interface Appending {
  readonly reader: Reader
  readonly keys: Keys
  /** True to flush each commit to the disk, false only those with an event whose type asks for it. */
  readonly flushes: boolean
  /** Called with each commit's rows, in order, before callers learn of it. */
  readonly committed: (batch: Sequencer.Sequenced) => void
  /** Called if a try whose answer was lost has committed the log's first event, before callers learn of it. */
  readonly begun: () => void
}

const MAX_KNOWN_STREAMS = 10_000

/** Of payloads in one statement, which the server limits to 1 GB. */
const MAX_BYTES_PER_COMMIT = 64 * 1024 * 1024

/** A client that stops in the middle of a transaction loses it after this time, so that others can append. */
const FROZEN_AFTER_MS = 5_000

/** A clock that the server has not confirmed for this long may have stood still with the machine. In milliseconds. */
const CLOCK_AGES_AFTER_MS = 1_000

/** Takes the log's lock. */
export const BEGIN = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${FROZEN_AFTER_MS}; SELECT locked()`

/** A log as of one moment: what `Sequencer` needs. */
interface State {
  readonly head: Head
  readonly versions: ReadonlyMap<string, number>
  /** The given ids that are in the log. */
  readonly ids: ReadonlyArray<string>
  /** True if the event at this writer's last head is still there. */
  readonly continues: boolean
}

/**
 * Creates the function that commits batches.
 *
 * The writer remembers the head and the versions of streams, sequences a batch by them with the code of all backends,
 * and sends it to the function `append`, which takes the log's lock and accepts it only directly after that head. If
 * another process has appended meanwhile, and from then on while others keep appending, the writer takes the lock
 * first, reads, sequences and appends in one transaction, so that no writer starves. The chain is never computed on the
 * server.
 *
 * Times are the server's: the writer adds its own monotonic clock to the last time that the server told.
 *
 * If a connection breaks, nobody knows whether the batch was committed. The writer repeats it with the same ids, all of
 * which it then looks for in the log.
 */
export const make = ({ reader, keys, flushes, committed, begun: logBegun }: Appending): AsyncCommit => {
  const { database } = reader
  const { address } = database
  let head: Head | undefined
  /** The last head that this writer knew to be committed. */
  let acknowledged = EMPTY
  let versions = new Map<string, number>()
  let clock: ServerClock | undefined
  /** Of this writer's last event: times never run backwards. */
  let lastRecordedAt = 0
  /** True while other processes append, too. */
  let isContended = false
  /** Set once acknowledged events are missing: nothing more is appended. */
  let lost: LogCorrupt | undefined

  const forget = () => {
    head = undefined
    versions = new Map()
  }

  const readState = async (run: Run, batch: ReadonlyArray<ValidatedAppend>): Promise<State> => {
    const streams = streamsIn(batch)
    const { position, hash } = acknowledged
    const values = [streams.map(({ stream }) => stream), streams.map(({ timeline }) => timeline), idsIn(batch)]
    const [row] = await run(STATE, [...values, position, Buffer.from(hash, "hex")])
    if (row === undefined) throw new Error("the state has no row")
    const found = Array.isArray(row[3]) ? row[3] : []
    clock = clockAt(Number(row[2]))
    return {
      head: row[0] === null ? EMPTY : { position: Number(row[0]), hash: String(row[1]) },
      versions: new Map(streams.map(({ key }, index) => [key, Number(found[index])])),
      ids: Array.isArray(row[4]) ? row[4].map(String) : [],
      continues: position === 0 || row[5] === true,
    }
  }

  const take = (state: State) => {
    if (!state.continues) throw loss()
    if (!isSame(head, state.head)) versions = new Map()
    head = state.head
    acknowledged = state.head
    for (const [key, version] of state.versions) versions.set(key, version)
  }

  const loss = (): LogCorrupt => {
    lost = tailLost(address, acknowledged)
    return lost
  }

  const sequence = (batch: ReadonlyArray<ValidatedAppend>, earlier: ReadonlyMap<string, Event>) => {
    if (head === undefined || clock === undefined) throw new Error("the log's state is unknown")
    const version = (timeline: string, stream: string) => {
      const known = versions.get(Sequencer.streamKey(timeline, stream))
      if (known === undefined) throw new Error(`the version of ${stream} is unknown`)
      return known
    }
    return Sequencer.sequence(
      { head, version, find: (id) => earlier.get(id) },
      batch,
      Math.max(clock.now(), lastRecordedAt),
    )
  }

  const placed = (batch: Sequencer.Sequenced) => {
    head = batch.head
    acknowledged = batch.head
    lastRecordedAt = batch.rows.at(-1)?.recordedAt ?? lastRecordedAt
    for (const [key, version] of batch.versions) versions.set(key, version)
    if (versions.size > MAX_KNOWN_STREAMS) versions = new Map()
    keys.opened(batch.rows)
    committed(batch)
  }

  const isSynced = (batch: ReadonlyArray<ValidatedAppend>) => flushes || batch.some(({ synced }) => synced)

  /** Undefined if another process has appended meanwhile. */
  const commitAtHead = async (batch: ReadonlyArray<ValidatedAppend>): Promise<Sequencer.Sequenced | undefined> => {
    const earlier = byId(await readByIds(reader, idsIn(batch)))
    const begun = beginning(batch, versions)
    for (const key of begun) versions.set(key, 0)
    const isKnown =
      head !== undefined && clock?.isFresh() === true && streamsIn(batch).every(({ key }) => versions.has(key))
    if (!isKnown) {
      const state = await readState(database.queryOnce, batch)
      take(state)
      await addLate(reader, state, earlier)
    }
    const sequenced = sequence(batch, earlier)
    for (const key of begun) if (!sequenced.versions.has(key)) versions.delete(key)
    if (sequenced.rows.length === 0) {
      if (!isKnown || !sequenced.placements.some(({ kind }) => kind === "conflict")) return sequenced
      // No insert proves that the known versions are current.
      const state = await readState(database.queryOnce, batch)
      return isSame(head, state.head) ? sequenced : undefined
    }
    const answer = await insert(database.writeOnce, head ?? EMPTY, sequenced, isSynced(batch))
    clock = clockAt(answer.clock)
    if (!answer.placed) return undefined
    placed(sequenced)
    return sequenced
  }

  /** Undefined also if a stream that was taken for a new one has events. */
  const commitAtHeadOrNot = async (batch: ReadonlyArray<ValidatedAppend>) => {
    try {
      return await commitAtHead(batch)
    } catch (cause) {
      if (codeOf(cause) !== UNIQUE_VIOLATION) throw cause
      forget()
      return undefined
    }
  }

  const commitLocked = async (batch: ReadonlyArray<ValidatedAppend>): Promise<Sequencer.Sequenced> => {
    // Most are found before the lock is taken: events never change.
    const earlier = byId(await readByIds(reader, idsIn(batch)))
    const before = head
    const sequenced = await database.transaction(BEGIN, async (run) => {
      const state = await readState(run, batch)
      take(state)
      isContended = !isSame(before, state.head)
      await addLate({ ...reader, database: { ...database, query: run } }, state, earlier)
      const sequenced = sequence(batch, earlier)
      if (sequenced.rows.length === 0) return sequenced
      const answer = await insert(run, state.head, sequenced, isSynced(batch))
      if (!answer.placed) throw new Error("the head moved although the log was locked")
      return sequenced
    })
    if (sequenced.rows.length > 0) placed(sequenced)
    return sequenced
  }

  const commitOnce = async (batch: ReadonlyArray<ValidatedAppend>): Promise<Sequencer.Sequenced> => {
    try {
      return (isContended ? undefined : await commitAtHeadOrNot(batch)) ?? (await commitLocked(batch))
    } catch (cause) {
      // The writer's memory may be of a moment that never was.
      forget()
      throw cause
    }
  }

  /** Reads what conflicts have missed. An unreadable event fails only that conflict's caller. */
  const answersOf = async ({ placements }: Sequencer.Sequenced): Promise<ReadonlyArray<CommitResult>> =>
    missedBy(placements, async (query: Query, limit) => {
      try {
        return Either.right(await readPage(reader, query, limit))
      } catch (cause) {
        return Either.left(errorOf(cause))
      }
    })

  const errorOf = (cause: unknown, tookMs = 0) => {
    const error = statementError(address, cause, tookMs)
    if (error === undefined) throw cause
    return error
  }

  const commitGroup = async (batch: ReadonlyArray<ValidatedAppend>): Promise<ReadonlyArray<CommitResult>> => {
    const began = performance.now()
    let isInDoubt = false
    try {
      if (lost !== undefined) throw lost
      const sequenced = await database.patiently(async (again) => {
        try {
          return await commitOnce(again ? batch.map(withGivenIds) : batch)
        } catch (cause) {
          isInDoubt ||= isLost(cause) && !isUnreachable(cause)
          throw cause
        }
      })
      if (hasBegun(batch, sequenced)) logBegun()
      return await answersOf(sequenced)
    } catch (cause) {
      const found = errorOf(cause, performance.now() - began)
      const error = isInDoubt ? inDoubt(address.name, found) : found
      return batch.map(() => Either.left(error))
    }
  }

  return async (requests) => {
    let covers: Awaited<ReturnType<Keys["coversOf"]>>
    try {
      covers = await keys.coversOf(requests)
    } catch (cause) {
      const error = errorOf(cause)
      return requests.map(() => Either.left(error))
    }
    const sealed = requests.map((request: CheckedAppend) => seal(request, covers))
    const valid = sealed.flatMap((request) => (Either.isRight(request) ? [request.right] : []))
    const answers: Array<CommitResult> = []
    for (const group of groupsOf(valid)) answers.push(...(await commitGroup(group)))
    const answer = answers.values()
    return sealed.map((request): CommitResult => {
      if (Either.isLeft(request)) return Either.left(request.left)
      const { value } = answer.next()
      if (value === undefined) throw new Error("the commit left an append unanswered")
      return value
    })
  }
}

interface ServerClock {
  /** The server's time, in epoch milliseconds. */
  readonly now: () => number
  /** False once the machine may have slept: its monotonic clock stands still meanwhile, and its other clock does not. */
  readonly isFresh: () => boolean
}

const clockAt = (told: number): ServerClock => {
  const at = performance.now()
  const since = Date.now()
  return {
    now: () => told + Math.floor(performance.now() - at),
    isFresh: () => Math.abs(Date.now() - since - (performance.now() - at)) < CLOCK_AGES_AFTER_MS,
  }
}

const isSame = (one: Head | undefined, other: Head): boolean =>
  one !== undefined && one.position === other.position && one.hash === other.hash

const byId = (events: ReadonlyArray<Event>): Map<string, Event> => new Map(events.map((event) => [event.id, event]))

/** Reads events with given ids that others have appended since the first look. */
const addLate = async (reader: Reader, { ids }: State, earlier: Map<string, Event>): Promise<void> => {
  const late = ids.filter((id) => !earlier.has(id))
  for (const event of await readByIds(reader, late)) earlier.set(event.id, event)
}

/** Whether the log's first event was found under an id that this process made: only an earlier try of it wrote that. */
const hasBegun = (batch: ReadonlyArray<ValidatedAppend>, { placements }: Sequencer.Sequenced): boolean => {
  const first = placements.flatMap((placement) =>
    placement.kind === "already there" ? placement.events.filter(({ position }) => position === 1) : [],
  )[0]
  return (
    first !== undefined &&
    batch.some((request) =>
      [request, ...request.with].some(({ events }) => events.some(({ id, idGiven }) => !idGiven && id === first.id)),
    )
  )
}

const idsIn = (batch: ReadonlyArray<ValidatedAppend>): ReadonlyArray<string> =>
  batch.flatMap((request) =>
    [request, ...request.with].flatMap(({ events }) => events.flatMap(({ id, idGiven }) => (idGiven ? [id] : []))),
  )

/** Makes the log look for all of a request's events, because an earlier try may have committed them. */
const withGivenIds = (request: ValidatedAppend): ValidatedAppend => ({
  ...request,
  events: request.events.map((event) => ({ ...event, idGiven: true })),
  with: request.with.map((part) => ({ ...part, events: part.events.map((event) => ({ ...event, idGiven: true })) })),
})

const UNIQUE_VIOLATION = "23505"

/**
 * The unknown streams of a batch that its appends expect to be new, each once. Most are, and the insert proves it: two
 * events of one version are refused.
 */
const beginning = (batch: ReadonlyArray<ValidatedAppend>, known: ReadonlyMap<string, number>): ReadonlySet<string> => {
  const begun = new Set<string>()
  for (const { timeline, stream, expected } of batch) {
    const key = Sequencer.streamKey(timeline, stream)
    if (expected?._tag === "NoStream" && !known.has(key)) begun.add(key)
  }
  return begun
}

/** The streams whose versions decide about a batch, each once. */
const streamsIn = (batch: ReadonlyArray<ValidatedAppend>) => {
  const streams = new Map<string, { readonly key: string; readonly timeline: string; readonly stream: string }>()
  const add = ({ timeline, stream }: { readonly timeline: string; readonly stream: string }) => {
    const key = Sequencer.streamKey(timeline, stream)
    if (!streams.has(key)) streams.set(key, { key, timeline, stream })
  }
  for (const request of batch) {
    add(request)
    if (request.fence !== null) add(request.fence)
    for (const part of request.with) add(part)
  }
  return [...streams.values()]
}

/** Splits a batch so that each part fits into a statement. */
const groupsOf = (batch: ReadonlyArray<ValidatedAppend>): ReadonlyArray<ReadonlyArray<ValidatedAppend>> => {
  const groups: Array<Array<ValidatedAppend>> = []
  let bytes = MAX_BYTES_PER_COMMIT
  for (const request of batch) {
    const own = bytesOf(request)
    bytes += own
    if (bytes > MAX_BYTES_PER_COMMIT) {
      groups.push([])
      bytes = own
    }
    groups.at(-1)?.push(request)
  }
  return groups
}

const bytesOf = (request: ValidatedAppend): number => {
  let bytes = 0
  for (const { events } of [request, ...request.with])
    for (const { stored, blob } of events) bytes += stored.length + (blob?.text.length ?? 0)
  return bytes
}

/** The head, the server's time, versions of streams, which of some ids exist, and whether a known head is still there: of one snapshot. */
const STATE = `SELECT h.position, encode(h.hash, 'hex'), floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint,
  ARRAY(SELECT coalesce((SELECT e.version FROM events e WHERE e.stream = s.stream AND hashtextextended(e.timeline, 0) = hashtextextended(s.timeline COLLATE "C", 0)
      AND e.timeline = s.timeline ORDER BY e.version DESC LIMIT 1), 0)::text
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS s(stream, timeline, n) ORDER BY s.n),
  ARRAY(SELECT e.id::text FROM events e WHERE e.id = ANY($3::uuid[])),
  EXISTS (SELECT FROM events e WHERE e.position = $4::bigint AND e.hash = $5::bytea)
  FROM (SELECT) AS one LEFT JOIN LATERAL (SELECT position, hash FROM events ORDER BY position DESC LIMIT 1) AS h ON true`
