/** Reads the archived events of a log across all its segments. */

import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, type Scope } from "effect"
import type { StoredRow } from "../../integrity/TamperClassification.ts"
import { LogCorrupt, type Query, SegmentUnavailable } from "../../log/EventLog.ts"
import type { Segment } from "../../maintenance/Archive.ts"
import { DamagedRow, type LogDatabase } from "../file/database.ts"
import { targetOf } from "../file/fileIdentity.ts"
import * as SegmentFile from "./SegmentFile.ts"

/** Most segments that are kept open. */
const MAX_OPEN = 8

/**
 * The archived events of a log, read as one. Functions throw `SegmentUnavailable` if a file that they need is missing.
 */
export interface Segments {
  /** The last archived position according to the log's file now; 0 if nothing was archived. */
  readonly floor: () => number
  /** What `floor` answered last, which is asked only the first time; it may be higher by now. */
  readonly knownFloor: () => number
  /** At most `limit` of the archived events that a query selects, in order of position. */
  readonly page: (query: Query, limit: number) => ReadonlyArray<StoredRow>
  /** The archived event with this id. */
  readonly find: (id: string) => StoredRow | undefined
  readonly blob: (digest: string) => string | undefined
  readonly list: () => ReadonlyArray<Segment>
}

/** The directory of a log's segments. */
export const directoryOf = (log: string): string => `${targetOf(log)}.segments`

/** The path of a segment. Throws `LogCorrupt` if its name in the log is not a plain file name. */
export const fileOf = (log: string, name: string): string => {
  if (PLAIN_NAME.test(name)) return path.join(directoryOf(log), name)
  const reason = `it says that a segment is in ${JSON.stringify(name)}, which is no segment's name`
  throw new LogCorrupt({ log, position: null, reason })
}

/**
 * A segment's name: letters, digits, hyphens, underscores and single dots. No such name leads to another directory, on
 * any system.
 */
const PLAIN_NAME = /^[0-9A-Za-z_-]+(\.[0-9A-Za-z_-]+)*$/

/** The segments of the log that a connection reads. */
export const make = (database: LogDatabase): Effect.Effect<Segments, never, Scope.Scope> => {
  const log = database.filename
  let catalog: ReadonlyArray<Entry> = []
  let isRead = false
  const opened = new Map<number, SegmentFile.SegmentFile>()

  const floor = (): number => {
    const now = Number(database.rows("SELECT coalesce(max(last), 0) FROM segments")[0]?.[0])
    isRead = true
    if (now !== lastListed()) catalog = database.rows(CATALOG).map(entryOf)
    return now
  }

  const lastListed = () => catalog.at(-1)?.last ?? 0
  const knownFloor = () => (isRead ? lastListed() : floor())

  /** Reads from one segment, and opens it if necessary. */
  const readFrom = <A>(entry: Entry, read: (segment: SegmentFile.SegmentFile) => A): A => {
    const filename = fileOf(log, entry.file)
    for (;;) {
      const known = opened.get(entry.first)
      try {
        return read(known ?? open(entry, filename))
      } catch (cause) {
        opened.get(entry.first)?.close()
        opened.delete(entry.first)
        // The file was replaced, perhaps by a copy: opens the new one.
        if (known !== undefined) continue
        if (cause instanceof DamagedRow) throw cause
        const reason = fs.existsSync(filename) ? `it cannot be read (${String(cause)})` : "the file is not there"
        const { first, last } = entry
        throw new SegmentUnavailable({ log, first, last, file: filename, reason })
      }
    }
  }

  const open = (entry: Entry, filename: string): SegmentFile.SegmentFile => {
    const segment = openAs(entry, filename)
    for (const [first, oldest] of opened) {
      if (opened.size < MAX_OPEN) break
      oldest.close()
      opened.delete(first)
    }
    opened.set(entry.first, segment)
    return segment
  }

  const page = (query: Query, limit: number): ReadonlyArray<StoredRow> => {
    const { after = 0, until = Number.MAX_SAFE_INTEGER } = query
    const rows: Array<StoredRow> = []
    for (const entry of catalog) {
      if (entry.last <= after || entry.first > until) continue
      if (rows.length === limit) break
      rows.push(...readFrom(entry, (segment) => segment.page(query, limit - rows.length)))
    }
    return rows
  }

  /** Segments whose range of ids in the log's file was compared with the segment itself. */
  const verifiedRanges = new Set<number>()

  /**
   * Compares the recorded range of ids once with the segment itself, if it exists: otherwise an id could be hidden by
   * changing the range.
   */
  const mayHave = (entry: Entry, id: string): boolean => {
    if (!verifiedRanges.has(entry.first) && fs.existsSync(fileOf(log, entry.file))) {
      const { lowest, highest } = readFrom(entry, (segment) => segment.ids())
      if (lowest !== entry.lowestId || highest !== entry.highestId) {
        const reason = `its record of the ids in the segment ${entry.file} differs from the segment; \`hindcast log verify\` says more`
        throw new LogCorrupt({ log, position: null, reason })
      }
      verifiedRanges.add(entry.first)
    }
    return id >= entry.lowestId && id <= entry.highestId
  }

  const segments: Segments = {
    floor,
    knownFloor,
    page,
    find: (id) => {
      for (const entry of catalog) {
        if (!mayHave(entry, id)) continue
        const position = readFrom(entry, (segment) => segment.find(id))
        if (position !== undefined) return page({ after: position - 1, until: position }, 1)[0]
      }
      return undefined
    },
    blob: (digest) => {
      // Events that were read from the log's file may have been archived since, and their blobs with them.
      floor()
      for (const entry of catalog) {
        const text = readFrom(entry, (segment) => segment.blob(digest))
        if (text !== undefined) return text
      }
      return undefined
    },
    list: () => {
      floor()
      return catalog.map(({ first, last, file, archivedAt }) => {
        const filename = fileOf(log, file)
        return { first, last, file, bytes: fs.statSync(filename, { throwIfNoEntry: false })?.size ?? null, archivedAt }
      })
    },
  }
  const close = () => {
    for (const segment of opened.values()) segment.close()
  }
  return Effect.acquireRelease(Effect.succeed(segments), () => Effect.sync(close))
}

/** Opens a segment, and checks that it is the one that the log recorded. */
const openAs = (entry: Entry, filename: string): SegmentFile.SegmentFile => {
  const segment = SegmentFile.open(filename)
  if (segment.first === entry.first && segment.last === entry.last && segment.hash === entry.hash) return segment
  segment.close()
  throw new Error("it holds other events than those that were archived")
}

interface Entry {
  readonly first: number
  readonly last: number
  /** The hash of its last event. */
  readonly hash: string
  readonly file: string
  readonly lowestId: string
  readonly highestId: string
  readonly archivedAt: number
}

const CATALOG = `SELECT first, last, lower(hex(hash)), file, lower(hex(lowest_id)), lower(hex(highest_id)), archived_at
  FROM segments ORDER BY first`

const entryOf = ([first, last, hash, file, lowestId, highestId, archivedAt]: ReadonlyArray<unknown>): Entry => ({
  first: Number(first),
  last: Number(last),
  hash: String(hash),
  file: String(file),
  lowestId: uuidOf(String(lowestId)),
  highestId: uuidOf(String(highestId)),
  archivedAt: Number(archivedAt),
})

/** A UUID's text from its 32 hexadecimal digits. */
const uuidOf = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
