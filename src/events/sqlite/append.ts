import { Effect } from "effect"
import type { Admitted } from "../Admission.ts"
import * as Chain from "../Chain.ts"
import type { Event } from "../Event.ts"
import { type Head, LogCorrupt, type LogError } from "../EventLog.ts"
import * as Sequencer from "../Sequencer.ts"
import type { Commit } from "../Writer.ts"
import type { Connection, StatementError } from "./connection.ts"
import { intern, type Names, readable } from "./names.ts"
import { bytesOf, COLUMNS, eventsOf, hexOf, readPage } from "./read.ts"

/** Most rows that one INSERT writes; more rows take several, in one transaction. */
const MAX_ROWS_PER_INSERT = 64

/** Most stream versions kept in memory; beyond it they are read again. */
const MAX_KNOWN_STREAMS = 10_000

/**
 * Commits batches of appends.
 *
 * The events' primary key is the lock. The writer knows the head and the versions of the streams it has seen, gives a
 * batch its positions, and inserts it, its first statement being the write. If another process has appended meanwhile,
 * the position is taken and the insert is refused as a whole; the writer then forgets what it knew, reads the head and
 * tries again. So everything it checked in memory (versions, ids) was true exactly when the insert succeeded, and a
 * commit needs no lock, no table of heads and no read.
 */
export const make = (
  connection: Connection,
  names: Names,
  durability: "normal" | "full",
): Effect.Effect<Commit, LogError> =>
  Effect.gen(function* () {
    let head = yield* readHead(connection)
    let versions = new Map<string, number>()
    const page = readPage(connection, names)

    const commitOnce = (requests: ReadonlyArray<Admitted>) =>
      Effect.gen(function* () {
        yield* loadVersions(connection, names, versions, requests)
        const known = yield* findGivenIds(connection, names, requests)
        const batch = Sequencer.sequence(
          {
            head,
            version: (timeline, stream) => versions.get(`${timeline}\0${stream}`) ?? 0,
            find: (id) => known.get(id),
          },
          requests,
          Date.now(),
        )
        if (batch.rows.length > 0) {
          const written = yield* write(connection, names, batch)
          if (!written) return undefined
          head = batch.head
          for (const event of batch.rows) versions.set(`${event.timeline}\0${event.stream}`, event.version)
          if (versions.size > MAX_KNOWN_STREAMS) versions = new Map()
        }
        return yield* Effect.forEach(requests, (request, index) =>
          Sequencer.answer(request, batch.placements[index], (query) => page(query, Sequencer.MAX_MISSED)),
        )
      })

    const commit: Commit = (requests) =>
      Effect.gen(function* () {
        while (true) {
          const answers = yield* commitOnce(requests)
          if (answers !== undefined) return answers
          const before = head.position
          head = yield* readHead(connection)
          versions = new Map()
          if (head.position === before) {
            const reason = "the next position was refused although nothing was appended"
            return yield* new LogCorrupt({ log: connection.filename, position: before, reason })
          }
        }
      })

    const synced = (effect: ReturnType<Commit>) =>
      Effect.acquireUseRelease(
        connection.run("PRAGMA synchronous = full"),
        () => effect,
        () => Effect.orDie(connection.run(`PRAGMA synchronous = ${durability}`)),
      )
    return (requests) =>
      durability === "normal" && requests.some((request) => request.synced)
        ? synced(commit(requests))
        : commit(requests)
  })

/** The last position and its hash. */
export const readHead = (connection: Connection): Effect.Effect<Head, LogError> =>
  Effect.map(readable(connection.rows("SELECT position, hash FROM events ORDER BY position DESC LIMIT 1")), ([row]) =>
    row === undefined ? EMPTY : { position: Number(row[0]), hash: hexOf(row[1]) },
  )

const EMPTY: Head = { position: 0, hash: Chain.GENESIS }

/** Reads the versions of the batch's streams that are not known yet. */
const loadVersions = (
  connection: Connection,
  names: Names,
  versions: Map<string, number>,
  requests: ReadonlyArray<Admitted>,
) =>
  Effect.gen(function* () {
    for (const { timeline, stream } of requests) {
      const key = `${timeline}\0${stream}`
      if (versions.has(key)) continue
      const timelineId = yield* names.id(timeline)
      const streamId = yield* names.id(stream)
      const [[version] = []] =
        timelineId === undefined || streamId === undefined
          ? []
          : yield* connection.rows("SELECT max(version) FROM events WHERE timeline = ? AND stream = ?", [
              timelineId,
              streamId,
            ])
      versions.set(key, Number(version ?? 0))
    }
  })

/** The events that already carry an id which a caller chose. */
const findGivenIds = (connection: Connection, names: Names, requests: ReadonlyArray<Admitted>) =>
  Effect.gen(function* () {
    const found = new Map<string, Event>()
    for (const event of requests.flatMap((request) => request.events)) {
      if (!event.idGiven) continue
      const [earlier] = yield* eventsOf(
        connection,
        names,
        yield* connection.rows(`SELECT ${COLUMNS} FROM events WHERE id = ?`, [bytesOf(event.id)]),
      )
      if (earlier !== undefined) found.set(event.id, earlier)
    }
    return found
  })

/** Writes all rows or none. Answers false where another writer took the first position. */
const write = (
  connection: Connection,
  names: Names,
  batch: Sequencer.Sequenced,
): Effect.Effect<boolean, StatementError> =>
  Effect.gen(function* () {
    const ids = yield* intern(connection, names, namesIn(batch.rows))
    const idOf = (text: string | null) => (text === null ? null : (ids.get(text) ?? null))
    const values = batch.rows.map((event, index) => rowOf(event, batch.texts[index] ?? "", idOf))
    if (values.length <= MAX_ROWS_PER_INSERT) return yield* insert(connection, values)

    return yield* Effect.gen(function* () {
      yield* connection.run("BEGIN IMMEDIATE")
      for (let start = 0; start < values.length; start += MAX_ROWS_PER_INSERT) {
        const inserted = yield* insert(connection, values.slice(start, start + MAX_ROWS_PER_INSERT))
        if (!inserted) {
          yield* connection.run("ROLLBACK")
          return false
        }
      }
      yield* connection.run("COMMIT")
      return true
    }).pipe(Effect.tapError(() => Effect.ignore(connection.run("ROLLBACK"))))
  })

const insert = (connection: Connection, rows: ReadonlyArray<ReadonlyArray<unknown>>) =>
  connection.insert(insertOf(rows.length), rows.flat())

const ROW = `(${COLUMNS.split(",")
  .map(() => "?")
  .join(", ")})`

const insertOf = (rows: number): string =>
  `INSERT INTO events (${COLUMNS}) VALUES ${Array.from({ length: rows }, () => ROW).join(", ")}`

const namesIn = (events: ReadonlyArray<Event>): ReadonlySet<string> => {
  const texts = new Set<string>()
  for (const event of events) {
    texts.add(event.timeline).add(event.stream).add(event.type).add(event.actor)
    if (event.taskId !== null) texts.add(event.taskId)
  }
  return texts
}

/** The values of an event's row, in the order of `COLUMNS`. */
const rowOf = (event: Event, text: string, idOf: (text: string | null) => number | null): ReadonlyArray<unknown> => [
  event.position,
  bytesOf(event.id),
  idOf(event.timeline),
  idOf(event.stream),
  event.version,
  idOf(event.type),
  event.schemaVersion,
  idOf(event.taskId),
  event.causationId === null ? null : bytesOf(event.causationId),
  idOf(event.actor),
  event.occurredAt,
  event.recordedAt,
  text,
  Buffer.from(event.hash, "hex"),
]
