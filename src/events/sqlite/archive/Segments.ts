/** Reads archived events across all segments of a log. */

import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, type Scope } from "effect"
import type { StoredRow } from "../../integrity/TamperClassification.ts"
import { LogCorrupt, type Query, SegmentUnavailable } from "../../log/EventLog.ts"
import type { Segment } from "../../maintenance/Archive.ts"
import { DamagedRow, type LogDatabase } from "../file/database.ts"
import { targetOf } from "../file/fileIdentity.ts"
import * as SegmentFile from "./SegmentFile.ts"

const MAX_OPEN = 8

/** All archived events of a log. Functions throw `SegmentUnavailable` if a file that they need is missing. */
export interface Segments {
  /** Reads the last archived position from the log's file; 0 if nothing was archived. */
  readonly floor: () => number
  /** The last result of `floor`; reads only the first time. The position may be higher by now. */
  readonly knownFloor: () => number
  readonly page: (query: Query, limit: number) => ReadonlyArray<StoredRow>
  readonly find: (id: string) => StoredRow | undefined
  readonly blob: (digest: string) => string | undefined
  readonly list: () => ReadonlyArray<Segment>
}

export const directoryOf = (log: string): string => `${targetOf(log)}.segments`

/** Throws `LogCorrupt` if the name in the log is no plain file name. */
export const fileOf = (log: string, name: string): string => {
  if (PLAIN_NAME.test(name)) return path.join(directoryOf(log), name)
  const reason = `it lists the segment ${JSON.stringify(name)}, which is not a valid name of a segment`
  throw new LogCorrupt({ log, position: null, reason })
}

/** Letters, digits, hyphens, underscores and single dots. On no system does such a name lead to another directory. */
const PLAIN_NAME = /^[0-9A-Za-z_-]+(\.[0-9A-Za-z_-]+)*$/

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

  const readFrom = <A>(entry: Entry, read: (segment: SegmentFile.SegmentFile) => A): A => {
    const filename = fileOf(log, entry.file)
    for (;;) {
      const known = opened.get(entry.first)
      try {
        return read(known ?? open(entry, filename))
      } catch (cause) {
        opened.get(entry.first)?.close()
        opened.delete(entry.first)
        // The file was replaced, perhaps by a copy: open the new one.
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

  /** Segments whose recorded range of ids was checked. */
  const verifiedRanges = new Set<number>()

  /** Checks the recorded range of ids once against the segment, if it exists: a forged range could hide an id. */
  const mayHave = (entry: Entry, id: string): boolean => {
    if (!verifiedRanges.has(entry.first) && fs.existsSync(fileOf(log, entry.file))) {
      const { lowest, highest } = readFrom(entry, (segment) => segment.ids())
      if (lowest !== entry.lowestId || highest !== entry.highestId) {
        const reason = `its record of the ids in the segment ${entry.file} differs from the segment; run \`hindcast log verify\` for details`
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
      // Events read from the log's file may have been archived since, with their blobs.
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

/** Throws if the segment is not the one that the log recorded. */
const openAs = (entry: Entry, filename: string): SegmentFile.SegmentFile => {
  const segment = SegmentFile.open(filename)
  if (segment.first === entry.first && segment.last === entry.last && segment.hash === entry.hash) return segment
  segment.close()
  throw new Error("it does not hold the archived events")
}

interface Entry {
  readonly first: number
  readonly last: number
  /** Of its last event. */
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

const uuidOf = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
