/**
 * Implements `Archive`: writes a segment, verifies it, lists it in the log, and only then deletes its events from the
 * log's file.
 */

import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Fiber } from "effect"
import * as AtomicFile from "../../../platform/AtomicFile.ts"
import * as OwnerOnly from "../../../platform/OwnerOnly.ts"
import { yieldToEventLoop } from "../../../platform/yieldToEventLoop.ts"
import * as Options from "../../../values/Options.ts"
import * as Chain from "../../integrity/Chain.ts"
import type { StoredRow } from "../../integrity/TamperClassification.ts"
import * as Verifier from "../../integrity/Verifier.ts"
import { type EventLog, LogCorrupt } from "../../log/EventLog.ts"
import { type Archive, ArchiveOptions, NotArchived, type Segment } from "../../maintenance/Archive.ts"
import type { Head } from "../../vocabulary/Event.ts"
import { attempt, type LogDatabase, type StatementError } from "../file/database.ts"
import { pages, withBlob } from "../integrity/storedChain.ts"
import { readBlob } from "../read.ts"
import * as SegmentFile from "./SegmentFile.ts"
import { directoryOf, type Segments } from "./Segments.ts"

const PAGE_SIZE = 1000

export interface Stores {
  readonly log: EventLog.Service
  readonly reader: LogDatabase
  /** Absent for a log in memory or opened for reading only. */
  readonly writer: LogDatabase | undefined
  readonly segments: Segments
  readonly moved: () => void
}

export const archive = (
  { log, reader, writer, segments, moved }: Stores,
  given: ArchiveOptions,
): ReturnType<Archive.Service["archive"]> => {
  const attemptOnLog = <A>(run: () => A) => attempt(log.name, run)
  return Effect.gen(function* () {
    const options = yield* Options.decode("archive", ArchiveOptions, given)
    const { until, actor } = options
    const from = yield* attemptOnLog(() => endOfLast(reader))
    const head = yield* log.head
    const refuse = (expected: string, found: string) => new NotArchived({ log: log.name, expected, found })
    if (writer === undefined)
      return yield* refuse("a log in a file, open for writing", "a log in memory, or open for reading only")
    if (until <= from.position || until >= head.position) {
      const free = `a position from ${from.position + 1} to ${head.position - 1}`
      const expected = head.position - from.position > 1 ? free : "at least two events that are not archived yet"
      return yield* refuse(
        expected,
        head.position - from.position > 1 ? `${until}` : `${head.position - from.position}`,
      )
    }
    const range = { first: from.position + 1, last: until }
    const file = `${padded(range.first)}-${padded(range.last)}.segment`
    const end = yield* write(log.name, { reader, segments }, from, file, options)
    if (!(yield* attemptOnLog(() => listSegment(writer, { ...range, file, hash: end.hash })))) {
      yield* attemptOnLog(() => removeUnlisted(log.name, segments, file))
      return yield* refuse("no other archiving at the same time", "one that archived these events first; try again")
    }
    moved()
    // The events are archived from here on: later failures must not be reported as `NotArchived`.
    const [event] = (yield* log.append({
      stream: "log",
      actor,
      events: [{ type: "RangeArchived", payload: { ...range, segment: file } }],
    })).events
    const shrunk = yield* freeSpace(writer, range)
    const segment = segments.list().find(({ first }) => first === range.first)
    if (event === undefined || segment === undefined) return yield* Effect.dieMessage("the segment is not listed")
    return { segment, event, shrunk }
  })
}

const padded = (position: number): string => String(position).padStart(10, "0")

const endOfLast = (reader: LogDatabase): Head => {
  const [row] = reader.rows("SELECT last, lower(hex(hash)) FROM segments ORDER BY last DESC LIMIT 1")
  return row === undefined ? { position: 0, hash: Chain.GENESIS } : { position: Number(row[0]), hash: String(row[1]) }
}

interface Sources {
  readonly reader: LogDatabase
  readonly segments: Segments
}

/** Writes the segment under a temporary name, reads it back against the chain, and renames it. */
const write = (
  log: string,
  sources: Sources,
  from: Head,
  file: string,
  { until, onProgress }: ArchiveOptions,
): Effect.Effect<Head, StatementError> =>
  Effect.acquireUseRelease(
    attempt(log, () => {
      OwnerOnly.makeDirectory(directoryOf(log))
      AtomicFile.removeAbandonedIn(directoryOf(log))
      const partial = AtomicFile.nameFor(path.join(directoryOf(log), file))
      return { partial, segmentWriter: SegmentFile.writeSegment(partial, from) }
    }),
    ({ partial, segmentWriter }) =>
      Effect.gen(function* () {
        const page = pages(sources.reader, sources.segments)
        const blob = (digest: string) => readBlob(sources.reader, digest) ?? sources.segments.blob(digest)
        let head = from
        const add = (blocks: ReadonlyArray<SegmentFile.PackedBlock>) =>
          attempt(log, () => segmentWriter.add(blocks, blob))
        // Compresses a page while reading the next.
        let packing: Fiber.Fiber<ReadonlyArray<SegmentFile.PackedBlock>> = Fiber.succeed([])
        while (head.position < until) {
          const { rows, walked } = yield* attempt(log, () => {
            const rows = page(head.position, Math.min(PAGE_SIZE, until - head.position))
            return { rows, walked: continueChain(log, head, rows) }
          })
          head = walked
          yield* add(yield* Fiber.join(packing))
          packing = yield* Effect.fork(Effect.promise(() => SegmentFile.pack(rows)))
          if (onProgress !== undefined) yield* onProgress(head.position - from.position, until - from.position)
          yield* yieldToEventLoop
        }
        yield* add(yield* Fiber.join(packing))
        yield* attempt(log, () => segmentWriter.finish())
        const readBack = yield* endOf(log, partial, from)
        if (readBack.hash !== head.hash)
          return yield* damaged(log, until, "the segment reads back differently from what was written")
        yield* attempt(log, () => {
          fs.renameSync(partial, path.join(directoryOf(log), file))
          flushDirectory(directoryOf(log))
          flushDirectory(path.dirname(directoryOf(log)))
        })
        return head
      }),
    ({ segmentWriter }) => Effect.sync(() => segmentWriter.discard()),
  )

const damaged = (log: string, position: number, reason: string) => new LogCorrupt({ log, position, reason })

/** Throws if a row does not continue the chain. */
const continueChain = (log: string, from: Head, rows: ReadonlyArray<StoredRow>): Head => {
  const head = Verifier.walk(from, rows)
  if (rows.length === 0 || head.position !== from.position + rows.length) {
    throw damaged(log, head.position + 1, "the chain breaks here, and tampered events are not archived")
  }
  return head
}

/** Verifies a segment from its beginning and returns its last head. */
const endOf = (log: string, filename: string, from: Head): Effect.Effect<Head, StatementError> =>
  Effect.acquireUseRelease(
    attempt(log, () => SegmentFile.open(filename)),
    (segment) =>
      Effect.gen(function* () {
        let head = from
        while (head.position < segment.last) {
          head = yield* attempt(log, () => {
            const rows = segment.page({ after: head.position }, PAGE_SIZE)
            return continueChain(
              log,
              head,
              rows.map((row) => withBlob(row, segment.blob)),
            )
          })
          yield* yieldToEventLoop
        }
        return head
      }),
    (segment) => Effect.sync(() => segment.close()),
  )

/**
 * Another program that archived first may have written the same segment: keep a listed file, delete an unlisted one.
 */
const removeUnlisted = (log: string, segments: Segments, file: string): void => {
  if (segments.list().every((segment) => segment.file !== file))
    fs.rmSync(path.join(directoryOf(log), file), { force: true })
}

const flushDirectory = (directory: string): void => {
  const file = fs.openSync(directory, "r")
  try {
    fs.fsyncSync(file)
  } finally {
    fs.closeSync(file)
  }
}

type ArchivedRange = Pick<Segment, "first" | "last">

interface WrittenSegment extends ArchivedRange {
  readonly file: string
  readonly hash: string
}

/** Lists the segment; from now on reads find its events there. Returns false if another program archived meanwhile. */
const listSegment = (writer: LogDatabase, { first, last, file, hash }: WrittenSegment): boolean =>
  inTransaction(writer, () => {
    if (endOfLast(writer).position !== first - 1) return false
    const [[lowest, highest] = []] = writer.rows("SELECT min(id), max(id) FROM events WHERE position BETWEEN ? AND ?", [
      first,
      last,
    ])
    const listed = writer.run("INSERT INTO segments VALUES (?, ?, ?, ?, ?, ?, ?)", [
      first,
      last,
      file,
      Buffer.from(hash, "hex"),
      lowest,
      highest,
      Date.now(),
    ])
    if (listed !== 1)
      throw damaged(writer.filename, first, "the segment was not listed: another program put a trigger there")
    writer.run(
      `INSERT INTO archived_streams SELECT stream, timeline, max(version) FROM events WHERE position BETWEEN ? AND ?
        GROUP BY stream, timeline
        ON CONFLICT (stream, timeline) DO UPDATE SET version = excluded.version`,
      [first, last],
    )
    return true
  })

/**
 * Deletes the archived events and shrinks the file. Returns false if the file was busy; the next archiving shrinks it.
 */
const freeSpace = (writer: LogDatabase, range: ArchivedRange) =>
  Effect.zipRight(deleteArchived(writer, range), shrink(writer)).pipe(
    Effect.catchTag("LogBusy", () => Effect.succeed(false)),
  )

/** In steps, so that other programs can append in between. Rows that a crash leaves are never read. */
const deleteArchived = (writer: LogDatabase, { first, last }: ArchivedRange) =>
  Effect.gen(function* () {
    for (let position = first; position <= last; position += PAGE_SIZE) {
      yield* attempt(writer.filename, () =>
        writer.run("DELETE FROM events WHERE position < ?", [Math.min(position + PAGE_SIZE, last + 1)]),
      )
      yield* yieldToEventLoop
    }
    yield* attempt(writer.filename, () => writer.run("DELETE FROM blobs WHERE last_position <= ?", [last]))
  })

const PAGES_PER_STEP = 2000

/** Returns free pages to the file system, in steps. Returns whether it did. */
const shrink = (writer: LogDatabase) =>
  Effect.gen(function* () {
    const freePages = () => Number(writer.rows("PRAGMA freelist_count")[0]?.[0])
    for (let free = freePages(); free > 0; ) {
      yield* attempt(writer.filename, () => writer.run(`PRAGMA incremental_vacuum(${PAGES_PER_STEP})`))
      const left = freePages()
      // A file created in format 1 keeps its free pages.
      if (left >= free) return false
      free = left
      yield* yieldToEventLoop
    }
    yield* attempt(writer.filename, () => writer.run("PRAGMA wal_checkpoint(TRUNCATE)"))
    return true
  })

const inTransaction = <A>(writer: LogDatabase, body: () => A): A => {
  writer.run("BEGIN IMMEDIATE")
  try {
    const answer = body()
    writer.run("COMMIT")
    return answer
  } catch (cause) {
    if (writer.inTransaction()) writer.run("ROLLBACK")
    throw cause
  }
}
