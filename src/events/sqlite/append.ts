/** Commits batches of appends to the log's file, without locks against other processes. */

import { Either } from "effect"
import type { ValidatedAppend } from "../append/AppendValidation.ts"
import * as Sequencer from "../append/Sequencer.ts"
import type { Commit, CommitResult } from "../append/Writer.ts"
import { LogCorrupt } from "../log/EventLog.ts"
import type { Head } from "../vocabulary/Event.ts"
import { attemptSync, type LogDatabase } from "./file/database.ts"
import * as schemaCheck from "./file/schemaCheck.ts"
import type { Seal } from "./ownership/ownership.ts"
import { findEvent, hashAt, type Reader, readHead, readPage } from "./read.ts"
import type { Names } from "./stringInterning.ts"
import { type Checks, HAS_EVENT, write } from "./writeRows.ts"

const MAX_KNOWN_STREAMS = 10_000

/**
 * Creates the function that commits batches. `now` is the log's clock; `seal` records each commit as this user's own,
 * under SQLite's lock.
 *
 * The primary key of events serves as the lock (optimistic concurrency). The writer caches the head and the versions of
 * streams, sequences a batch by them, and inserts it as the first statement of the transaction. If another process has
 * appended in the meantime, SQLite rejects the whole insert; the writer then drops its cache and tries again. Its
 * checks in memory were therefore true when an insert succeeds, and a commit needs neither a lock nor a table of heads.
 *
 * If an older copy overwrites the open file, the event at the writer's head is missing: acknowledged events are lost,
 * and the writer acknowledges no more.
 */
export const make = (
  reader: Reader,
  committed: (batch: Sequencer.Sequenced) => void = () => {},
  now: () => number = () => Date.now(),
  seal?: Seal,
): Commit => {
  const { database, names, segments } = reader
  const checkSchema = schemaCheck.guard(database)
  checkSchema()
  let head = readHead(database)
  let versions = new Map<string, number>()

  const version = (timeline: string, stream: string): number => {
    const key = Sequencer.streamKey(timeline, stream)
    const known = versions.get(key) ?? readVersion(database, names, timeline, stream)
    versions.set(key, known)
    return known
  }

  /** Throws `LogCorrupt` if the log no longer has the event at this writer's head. */
  const checkHead = (): void => {
    const { position, hash } = head
    if (position === 0 || database.rows(HAS_EVENT, [position, Buffer.from(hash, "hex")]).length === 1) return
    // It may be archived by now.
    if (hashAt(database, segments, position) === hash) return
    const reason =
      "the event at the head is missing or has changed: the file was replaced by an earlier copy, or rewritten, while the log was " +
      "open. Later events are lost, and nothing more is appended until the log is opened again"
    throw new LogCorrupt({ log: database.filename, position, reason })
  }

  const checks: Checks = { schema: checkSchema, head: checkHead, after: () => head }
  const checksOf = ({ head: next }: Sequencer.Sequenced): Checks =>
    seal === undefined ? checks : { ...checks, seal: () => seal(head, next) }

  /** Undefined if another writer was faster. */
  const commitOnce = (requests: ReadonlyArray<ValidatedAppend>): ReadonlyArray<CommitResult> | undefined => {
    const find = (id: string) => findEvent(reader, id)
    const batch = Sequencer.sequence({ head, version, find }, requests, now())
    if (batch.rows.length === 0) {
      // No insert proves that the cache is current, so check a conflict against the head.
      const conflicts = batch.placements.some(({ kind }) => kind === "conflict")
      if (conflicts && !isSame(readHead(database), head)) return undefined
    } else {
      if (!write(database, names, batch, checksOf(batch))) return undefined
      head = batch.head
      committed(batch)
      for (const [key, version] of batch.versions) versions.set(key, version)
      if (versions.size > MAX_KNOWN_STREAMS) versions = new Map()
    }
    const missed = Sequencer.readingOnce((query, limit) => readPage(reader, query, limit))
    // The batch is committed. An unreadable missed event fails only the caller of that conflict.
    return requests.map((_, index) =>
      Either.flatMap(
        attemptSync(database.filename, () => Sequencer.toResult(batch.placements[index], missed)),
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

  const commitTogether: Commit = (requests) =>
    attemptSync(database.filename, () => database.together(() => commit(requests)))

  const commitAlone = (request: ValidatedAppend): CommitResult =>
    Either.flatMap(commitTogether([request]), ([answer]) => {
      if (answer === undefined) throw new Error("the commit left an append unanswered")
      return answer
    })

  return (requests) => {
    const answers = commitTogether(requests)
    if (Either.isRight(answers) || answers.left._tag !== "SegmentUnavailable") return answers
    // Nothing was written, since a given id may be in a missing segment. Committing one by one fails only that append.
    return Either.right(requests.map(commitAlone))
  }
}

const isSame = (one: Head, other: Head): boolean => one.position === other.position && one.hash === other.hash

/** The version of a stream's last event in the file; 0 if it has none. */
export const readVersion = (database: LogDatabase, names: Names, timeline: string, stream: string): number => {
  const streamId = names.id(stream)
  const timelineId = names.id(timeline)
  if (streamId === undefined || timelineId === undefined) return 0
  const [row] = database.rows(LAST_VERSION, [streamId, timelineId, streamId, timelineId])
  return Number(row?.[0] ?? 0)
}

/** Covers retained and archived events. */
const LAST_VERSION = `SELECT max(
  coalesce((SELECT max(version) FROM events WHERE stream = ? AND timeline = ?), 0),
  coalesce((SELECT version FROM archived_streams WHERE stream = ? AND timeline = ?), 0))`
