/** Reads events from the log's file and segments: pages, single events, and the head. */

import * as Chain from "../integrity/Chain.ts"
import type { StoredRow } from "../integrity/TamperClassification.ts"
import { type Committed, LogUnavailable, type Query, SegmentUnavailable, type TaskPart } from "../log/EventLog.ts"
import type { Keys } from "../payload/PersonalDataKeys.ts"
import * as StoredPayload from "../payload/StoredPayload.ts"
import type { Envelope } from "../read/Records.ts"
import type { Event, Head } from "../vocabulary/Event.ts"
import type { Upcast } from "../vocabulary/Upcaster.ts"
import type { Segments } from "./archive/Segments.ts"
import { SqliteError } from "./driver/Driver.ts"
import { DamagedRow, type LogDatabase } from "./file/database.ts"
import type { NameHashes } from "./nameHashes.ts"
import {
  bounded,
  COMMITTED_COLUMNS,
  type Columns,
  ENVELOPE_COLUMNS,
  type InternedQuery,
  NO_TASK,
  type PartOfNames,
  pageQuery,
  READ_COLUMNS,
} from "./pageQuery.ts"
import type { Names } from "./stringInterning.ts"

export interface Reader {
  readonly database: LogDatabase
  readonly names: Names
  /** The only place that upcasts payloads. */
  readonly upcast: Upcast
  readonly keys: Keys
  readonly segments: Segments
}

/** A row in the order of `READ_COLUMNS`. */
export type Row = ReadonlyArray<unknown>

export const readPage = (reader: Reader, query: Query, limit: number): ReadonlyArray<Event> =>
  pageOf(
    reader,
    query,
    limit,
    (row) => eventOf(reader, row),
    (row) => archivedEvent(reader, row),
  )

/** Reads one page of events without payloads, except for archived ones. */
export const envelopesOf = (reader: Reader, query: Query, limit: number): ReadonlyArray<Envelope> => {
  const { names } = reader
  return pageOf(
    reader,
    query,
    limit,
    (row) => ({
      position: Number(row[0]),
      timeline: nameIn(names, row, row[1]),
      type: nameIn(names, row, row[2]),
      taskId: row[3] === null ? null : nameIn(names, row, row[3]),
      occurredAt: Number(row[4]),
      recordedAt: Number(row[5]),
    }),
    ({ link: { position, timeline, type, taskId, occurredAt, recordedAt } }) => ({
      position,
      timeline,
      type,
      taskId,
      occurredAt,
      recordedAt,
    }),
    ENVELOPE_COLUMNS,
  )
}

/** Reads one page of the fields that queries filter by, without payloads, except for archived events. */
export const committedOf = (reader: Reader, query: Query, limit: number): ReadonlyArray<Committed> => {
  const { names } = reader
  return pageOf(
    reader,
    query,
    limit,
    (row) => ({
      position: Number(row[0]),
      timeline: nameIn(names, row, row[1]),
      stream: nameIn(names, row, row[2]),
      version: Number(row[3]),
      type: nameIn(names, row, row[4]),
      taskId: row[5] === null ? null : nameIn(names, row, row[5]),
      occurredAt: Number(row[6]),
    }),
    ({ link }) => link,
    COMMITTED_COLUMNS,
  )
}

/**
 * Reads one page, in order of position: archived events from segments, the rest from the log's file.
 *
 * @param columns for rows of the log's file
 */
export const pageOf = <A>(
  reader: Reader,
  query: Query,
  limit: number,
  ofRetained: (row: Row) => A,
  ofArchived: (row: StoredRow) => A,
  columns = READ_COLUMNS,
): ReadonlyArray<A> => {
  const { segments, database } = reader
  const { after = 0, until = Number.MAX_SAFE_INTEGER } = query
  const pageAbove = (floor: number) => {
    const archived = after < floor ? segments.page(query, limit).map(ofArchived) : []
    const remaining = limit - archived.length
    const rest =
      until <= floor || remaining === 0
        ? []
        : retainedRows(reader, { ...query, after: Math.max(after, floor) }, remaining, columns).map(ofRetained)
    return archived.length === 0 ? rest : [...archived, ...rest]
  }
  return database.together(() => {
    let floor = segments.knownFloor()
    for (;;) {
      const page = pageAbove(floor)
      const now = segments.floor()
      // If events of the page were archived meanwhile, some may have been in neither place.
      if (now === floor || now <= after) return page
      floor = now
    }
  })
}

const retainedRows = ({ names, database }: Reader, query: Query, limit: number, columns: Columns) => {
  const interned = internedQuery(names, query)
  if (interned === undefined) return []
  const rowsOf = (part: PartOfNames | null) => {
    const { sql, parameters } = pageQuery({ ...interned, part }, limit, columns)
    return database.rows(sql, parameters)
  }
  const rows = query.part === undefined ? rowsOf(null) : rowsOfPart(names.hashes, query.part, rowsOf)
  names.load(namesIn(rows, columns))
  return rows
}

/** Reads again if a task has come meanwhile: an event of it would be missing among later ones. */
const rowsOfPart = <A>(hashes: NameHashes, part: TaskPart, read: (part: PartOfNames) => A): A => {
  for (;;) {
    const known = hashes.load()
    const rows = read({ names: hashes.ofPart(part), first: part.index === 0 })
    if (hashes.load() === known) return rows
  }
}

/** The ids of streams and tasks in some rows. Neighbours often share them. */
const namesIn = (rows: ReadonlyArray<Row>, columns: Columns): ReadonlyArray<unknown> => {
  const ids: Array<unknown> = []
  for (const column of columns.names) {
    let last: unknown
    for (const row of rows) {
      const id = row[column]
      if (id !== last) ids.push(id)
      last = id
    }
  }
  return ids
}

export const findEvent = (reader: Reader, id: string): Event | undefined => {
  const [row] = reader.database.rows(`SELECT ${READ_COLUMNS.sql} FROM events WHERE id = ?`, [bytesOf(id)])
  // Read after the log's file, so that an event being archived is found in one of the two.
  const floor = reader.segments.floor()
  // Never read rows left at archived positions: the chain does not verify them.
  if (row !== undefined && Number(row[0]) > floor) return eventOf(reader, row)
  const archived = floor === 0 ? undefined : reader.segments.find(id)
  return archived && archivedEvent(reader, archived)
}

export const readHead = (database: LogDatabase): Head => {
  const [row] = database.rows("SELECT position, hash FROM events ORDER BY position DESC LIMIT 1")
  return row === undefined ? EMPTY : { position: Number(row[0]), hash: hexOf(row[1]) }
}

const EMPTY: Head = { position: 0, hash: Chain.GENESIS }

/** The hash at a position, retained or archived. */
export const hashAt = (database: LogDatabase, segments: Segments, position: number): string | undefined => {
  const [row] = database.rows("SELECT hash FROM events WHERE position = ?", [position])
  if (position <= segments.floor()) return segments.page({ after: position - 1, until: position }, 1)[0]?.hash
  return row === undefined ? undefined : hexOf(row[0])
}

/** Undefined if the query filters by a name that no event has. */
const internedQuery = (names: Names, query: Query): InternedQuery | undefined => {
  const { after = 0, until = null, afterVersion = null, occurredAt = null, plugin = null } = query
  const idOf = (text: string | undefined) => (text === undefined ? null : names.id(text))
  const timeline = idOf(query.timeline)
  const stream = idOf(query.stream)
  const task = query.taskId === null ? NO_TASK : idOf(query.taskId)
  const types = query.types?.flatMap((type) => names.id(type) ?? []) ?? null
  if (timeline === undefined || stream === undefined || task === undefined || types?.length === 0) return undefined
  return { after, until, timeline, stream, afterVersion, task, types, occurredAt, plugin }
}

/** Envelope and hash of a row, without decoding its payload. */
export const rowLink = ({ names }: Reader, row: Row): { readonly link: Chain.Link; readonly hash: string } => {
  const digits = String(row[1])
  const name = (id: unknown) => nameIn(names, row, id)
  return {
    link: {
      position: Number(row[0]),
      id: uuidOf(digits, 0),
      timeline: name(row[2]),
      stream: name(row[3]),
      version: Number(row[4]),
      type: name(row[5]),
      schemaVersion: Number(row[6]),
      taskId: row[7] === null ? null : name(row[7]),
      causationId: digits.length > HASH_END ? uuidOf(digits, HASH_END) : null,
      actor: name(row[8]),
      occurredAt: Number(row[10]) - Number(row[9]),
      recordedAt: Number(row[10]),
    },
    hash: digits.slice(ID_END, HASH_END),
  }
}

/** A payload longer than a log writes was not read: its length replaces it. */
export const payloadIn = (row: Row): string => {
  if (typeof row[11] === "number") throw new DamagedRow(Number(row[0]), StoredPayload.tooLong(row[11]))
  return String(row[11])
}

/** Rejects ids beyond 2^53, which are not exact as numbers. */
export const nameIn = (names: Names, row: Row, id: unknown): string => {
  const text = Number.isSafeInteger(id) ? names.text(Number(id)) : undefined
  if (text === undefined) throw new DamagedRow(Number(row[0]), "it uses a name that the file does not have")
  return text
}

/** Repeats the code of `rowLink`, because it runs for every folded event. */
const eventOf = (reader: Reader, row: Row): Event => {
  const { names, upcast } = reader
  const name = (id: unknown) => nameIn(names, row, id)
  const type = name(row[5])
  const digits = String(row[1])
  const id = uuidOf(digits, 0)
  const stored = { payload: payloadIn(row), keyId: row[12] === null ? null : name(row[12]) }
  const { payload, personal } = contentOf(reader, Number(row[0]), id, stored)
  const event = {
    position: Number(row[0]),
    id,
    timeline: name(row[2]),
    stream: name(row[3]),
    version: Number(row[4]),
    type,
    schemaVersion: Number(row[6]),
    taskId: row[7] === null ? null : name(row[7]),
    causationId: digits.length > HASH_END ? uuidOf(digits, HASH_END) : null,
    actor: name(row[8]),
    occurredAt: Number(row[10]) - Number(row[9]),
    recordedAt: Number(row[10]),
    payload: upcast(type, Number(row[6]), payload),
    hash: digits.slice(ID_END, HASH_END),
  }
  return personal === undefined ? event : { ...event, personal }
}

const archivedEvent = (reader: Reader, { link, payload: text, keyId, hash }: StoredRow): Event => {
  const { payload, personal } = contentOf(reader, link.position, link.id, { payload: text, keyId })
  const event = { ...link, payload: reader.upcast(link.type, link.schemaVersion, payload), hash }
  return personal === undefined ? event : { ...event, personal }
}

/** The decoded payload, decrypted if the reader has the key. */
export const contentOf = (reader: Reader, position: number, id: string, stored: StoredPayload.StoredContent) => {
  const { database, keys, segments } = reader
  const blob = (digest: string) => readBlob(database, digest) ?? segments.blob(digest)
  try {
    return StoredPayload.read({ blob, keys }, id, stored)
  } catch (cause) {
    // Errors of blobs and keys have their own types; everything else is a damaged row.
    if (cause instanceof SqliteError || isUnavailable(cause)) throw cause
    throw new DamagedRow(position, cause instanceof Error ? cause.message : String(cause))
  }
}

const isUnavailable = (cause: unknown): boolean =>
  cause instanceof SegmentUnavailable || cause instanceof LogUnavailable

export const readBlob = (database: LogDatabase, digest: string): string | undefined => {
  const [row] = database.rows(`SELECT ${bounded("content")} FROM blobs WHERE digest = ?`, [digest])
  if (typeof row?.[0] === "number") throw new Error(StoredPayload.tooLong(row[0]))
  return row === undefined ? undefined : String(row[0])
}

const ID_END = 32
const HASH_END = ID_END + 64

const uuidOf = (hex: string, at: number): string =>
  `${hex.slice(at, at + 8)}-${hex.slice(at + 8, at + 12)}-${hex.slice(at + 12, at + 16)}-${hex.slice(at + 16, at + 20)}-${hex.slice(at + 20, at + 32)}`

export const bytesOf = (uuid: string): Buffer => {
  // By hand, in a quarter of the time of `Buffer.from`: there are up to two per event.
  const bytes = Buffer.allocUnsafe(16)
  let index = 0
  let digits = 0
  for (let at = 0; at < 16; at++) {
    if (uuid.charCodeAt(index) === HYPHEN) index += 1
    const [high, low] = [digitAt(uuid, index), digitAt(uuid, index + 1)]
    bytes[at] = (high << 4) | low
    digits |= high | low
    index += 2
  }
  const isUuid = uuid.length === UUID_LENGTH && index === UUID_LENGTH && digits >= 0 && digits <= 15
  return isUuid ? bytes : Buffer.from(uuid.replaceAll("-", ""), "hex")
}

const HYPHEN = 45
const UUID_LENGTH = 36

/** Out of range for any character but a lower-case hexadecimal digit. */
const digitAt = (text: string, index: number): number => {
  const code = text.charCodeAt(index)
  if (code <= 57) return code - 48
  return code >= 97 ? code - 87 : -1
}

const hexOf = (bytes: unknown): string => (bytes instanceof Uint8Array ? Buffer.from(bytes).toString("hex") : "")
