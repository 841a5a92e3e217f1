import { Either } from "effect"
import type { ValidatedAppend, ValidatedEvent } from "../append/AppendValidation.ts"
import * as Sequencer from "../append/Sequencer.ts"
import type { Commit, CommitResult } from "../append/Writer.ts"
import { LogCorrupt } from "../log/EventLog.ts"
import type { Event, Head } from "../vocabulary/Event.ts"
import { attemptSync, isOutOfSequence, type LogDatabase } from "./file/database.ts"
import * as ownSchema from "./file/schemaCheck.ts"
import { COLUMNS } from "./pageQuery.ts"
import { bytesOf, findEvent, hashAt, type Reader, readHead, readPage } from "./read.ts"
import type { Names } from "./stringInterning.ts"

/** Most rows that one INSERT writes; more rows take several, in one transaction. */
const MAX_ROWS_PER_INSERT = 64

/** Most stream versions kept in memory; beyond it they are read again. */
const MAX_KNOWN_STREAMS = 10_000

/**
 * Commits batches of appends. `now` is the log's clock.
 *
 * The events' primary key is the lock. The writer knows the head and the versions of the streams it has seen, gives a
 * batch its positions, and inserts it, its first statement being the write. If another process has appended meanwhile,
 * the position is taken and the insert is refused as a whole; the writer then forgets what it knew, reads the head and
 * tries again. So everything it checked in memory (versions, ids) was true exactly when the insert succeeded, and a
 * commit needs no lock and no table of heads.
 *
 * The one thing it reads is that the event at its head is still the one that it knows. A file that was set back while it is open, by
 * an older copy that is written into it say, lacks that event: what was acknowledged is gone, and nothing more is acknowledged.
 */
export const make = (reader: Reader, durability: "normal" | "full", now: () => number = () => Date.now()): Commit => {
  const { database, names, segments } = reader
  const checkSchema = ownSchema.guard(database)
  checkSchema()
  let head = readHead(database)
  let versions = new Map<string, number>()

  const version = (timeline: string, stream: string): number => {
    const key = Sequencer.streamKey(timeline, stream)
    const known = versions.get(key) ?? readVersion(database, names, timeline, stream)
    versions.set(key, known)
    return known
  }

  /** Throws `LogCorrupt` where what this writer knows of is in the file no more. */
  const checkHead = (): void => {
    const { position, hash } = head
    if (position === 0 || database.rows(IS_THERE, [position, Buffer.from(hash, "hex")]).length === 1) return
    // It may have been archived meanwhile.
    if (hashAt(database, segments, position) === hash) return
    const reason =
      "another event is there than the one that was, or none: the file was set back to an earlier state, or rewritten, while the log " +
      "was open. What came since is lost, and nothing more is appended until the log is opened again"
    throw new LogCorrupt({ log: database.filename, position, reason })
  }

  const check = () => {
    checkSchema()
    checkHead()
  }

  /** The answers, or undefined where another writer was faster. */
  const commitOnce = (requests: ReadonlyArray<ValidatedAppend>): ReadonlyArray<CommitResult> | undefined => {
    const find = (id: string) => findEvent(reader, id)
    const batch = Sequencer.sequence({ head, version, find }, requests, now())
    if (batch.rows.length === 0) {
      // Nothing is inserted, so nothing proves that what was known still holds: a conflict has to be looked at again.
      const conflicts = batch.placements.some(({ kind }) => kind === "conflict")
      if (conflicts && !isSame(readHead(database), head)) return undefined
    } else {
      if (!write(database, names, batch, check)) return undefined
      head = batch.head
      for (const [key, version] of batch.versions) versions.set(key, version)
      if (versions.size > MAX_KNOWN_STREAMS) versions = new Map()
    }
    const missed = Sequencer.readingOnce((query, limit) => readPage(reader, query, limit))
    // What was written is written: where a conflict's missed events cannot be read, that is an answer to its caller alone.
    return requests.map((_, index) =>
      Either.flatMap(
        attemptSync(database.filename, () => Sequencer.answer(batch.placements[index], missed)),
        (answer) => answer,
      ),
    )
  }

  const commit = (requests: ReadonlyArray<ValidatedAppend>): ReadonlyArray<CommitResult> => {
    while (true) {
      const answers = commitOnce(requests)
      if (answers !== undefined) return answers
      checkHead()
      const next = readHead(database)
      if (next.position === head.position) {
        const reason = `position ${head.position + 1} was refused although nothing was appended`
        throw new LogCorrupt({ log: database.filename, position: null, reason })
      }
      head = next
      versions = new Map()
    }
  }

  const commitSynced = (requests: ReadonlyArray<ValidatedAppend>): ReadonlyArray<CommitResult> => {
    database.run("PRAGMA synchronous = full")
    try {
      return commit(requests)
    } finally {
      database.run(`PRAGMA synchronous = ${durability}`)
    }
  }

  const commitTogether: Commit = (requests) =>
    attemptSync(database.filename, () =>
      durability === "normal" && requests.some(({ synced }) => synced) ? commitSynced(requests) : commit(requests),
    )

  const commitAlone = (request: ValidatedAppend): CommitResult =>
    Either.flatMap(commitTogether([request]), ([answer]) => {
      if (answer === undefined) throw new Error("the commit left an append unanswered")
      return answer
    })

  return (requests) => {
    const answers = commitTogether(requests)
    if (Either.isRight(answers) || answers.left._tag !== "SegmentUnavailable") return answers
    // Nothing was written: an id that a caller gave may be in a segment that is missing. That fails no other append.
    return Either.right(requests.map(commitAlone))
  }
}

const IS_THERE = "SELECT 1 FROM events WHERE position = ? AND hash = ?"

const isSame = (one: Head, other: Head): boolean => one.position === other.position && one.hash === other.hash

/** The version of a stream's last event by the file; 0 where it has none. */
export const readVersion = (database: LogDatabase, names: Names, timeline: string, stream: string): number => {
  const streamId = names.id(stream)
  const timelineId = names.id(timeline)
  if (streamId === undefined || timelineId === undefined) return 0
  const [row] = database.rows(LAST_VERSION, [streamId, timelineId, streamId, timelineId])
  return Number(row?.[0] ?? 0)
}

/** Of the events in the file, and of those that were archived. */
const LAST_VERSION = `SELECT max(
  coalesce((SELECT max(version) FROM events WHERE stream = ? AND timeline = ?), 0),
  coalesce((SELECT version FROM archived_streams WHERE stream = ? AND timeline = ?), 0))`

/** Events with their places, and what stands in their rows. */
export interface Placed {
  readonly rows: ReadonlyArray<Omit<Event, "payload">>
  /** Row by row. */
  readonly admitted: ReadonlyArray<Pick<ValidatedEvent, "stored" | "blob">>
}

/**
 * Writes all rows or none. Answers false where another writer took the first position, and throws `LogCorrupt` where SQLite stored
 * another number of rows. `check` comes before the first row: in the same transaction, unless that is one row alone, which needs none.
 */
export const write = (database: LogDatabase, names: Names, batch: Placed, check = () => {}): boolean => {
  const inserts = insertsOf(names, batch)
  const hasBlobs = batch.admitted.some(({ blob }) => blob !== null)
  const [only] = inserts
  if (only?.count === 1 && inserts.length === 1 && !hasBlobs) {
    check()
    return insert(database, only)
  }

  database.run("BEGIN IMMEDIATE")
  try {
    check()
    for (const rows of inserts) {
      if (!insert(database, rows)) {
        database.run("ROLLBACK")
        return false
      }
    }
    if (hasBlobs) writeBlobs(database, batch)
    database.run("COMMIT")
    return true
  } catch (cause) {
    rollback(database)
    throw cause
  }
}

/** A blob is stored once; which event named it last says until when it is needed beside the events. */
const writeBlobs = (database: LogDatabase, { rows, admitted }: Placed): void => {
  for (const [index, { blob }] of admitted.entries()) {
    if (blob === null) continue
    expectStored(database, 1, database.run(SAVE_BLOB, [blob.digest, rows[index]?.position, blob.text]))
  }
}

const SAVE_BLOB = `INSERT INTO blobs (digest, last_position, content) VALUES (?, ?, ?)
  ON CONFLICT (digest) DO UPDATE SET last_position = excluded.last_position`

/** After a failure that SQLite rolled back by itself there is nothing left to roll back. */
const rollback = (database: LogDatabase): void => {
  if (database.inTransaction()) database.run("ROLLBACK")
}

/** Rows of one INSERT: all their values, one row after the other. */
interface Rows {
  readonly count: number
  readonly values: ReadonlyArray<unknown>
}

const insert = (database: LogDatabase, { count, values }: Rows): boolean => {
  try {
    expectStored(database, count, database.run(INSERTS[count] ?? "", values))
    return true
  } catch (cause) {
    if (isOutOfSequence(cause)) return false
    throw cause
  }
}

/** What SQLite did not store is not acknowledged: it says nothing where a trigger leaves a row out. */
const expectStored = (database: LogDatabase, expected: number, stored: number): void => {
  if (stored === expected) return
  const reason = `of ${expected} rows SQLite stored ${stored}: a trigger that is not Hindcast's left the others out`
  throw new LogCorrupt({ log: database.filename, position: null, reason })
}

const ROW = `(${COLUMNS.replaceAll(/\w+/g, "?")})`

/** The statement for each number of rows. */
const INSERTS = Array.from(
  { length: MAX_ROWS_PER_INSERT + 1 },
  (_, rows) => `INSERT INTO events (${COLUMNS}) VALUES ${Array.from({ length: rows }, () => ROW).join(", ")}`,
)

/** The batch's rows, in portions for one INSERT each. Names that are new are interned on the way, before the first insert. */
const insertsOf = (names: Names, { rows, admitted }: Placed): ReadonlyArray<Rows> => {
  const inserts: Array<Rows> = []
  for (let start = 0; start < rows.length; start += MAX_ROWS_PER_INSERT) {
    const values: Array<unknown> = []
    const end = Math.min(start + MAX_ROWS_PER_INSERT, rows.length)
    for (let index = start; index < end; index++) {
      const event = rows[index]
      if (event !== undefined) pushRow(values, names, event, admitted[index]?.stored ?? "")
    }
    inserts.push({ count: end - start, values })
  }
  return inserts
}

/** Adds the values of an event's row, in the order of `COLUMNS`. */
const pushRow = (values: Array<unknown>, names: Names, event: Placed["rows"][number], stored: string): void => {
  values.push(
    event.position,
    bytesOf(event.id),
    names.intern(event.timeline),
    names.intern(event.stream),
    event.version,
    names.intern(event.type),
    event.schemaVersion,
    event.taskId === null ? null : names.intern(event.taskId),
    event.causationId === null ? null : bytesOf(event.causationId),
    names.intern(event.actor),
    event.recordedAt - event.occurredAt,
    event.recordedAt,
    stored,
    event.personal === undefined ? null : names.intern(event.personal.keyId),
    Buffer.from(event.hash, "hex"),
  )
}
