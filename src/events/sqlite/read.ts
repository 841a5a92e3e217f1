import * as Chain from "../integrity/Chain.ts"
import type { Stored } from "../integrity/TamperClassification.ts"
import { LogUnavailable, type Query, SegmentUnavailable } from "../log/EventLog.ts"
import type { Keys } from "../payload/PersonalDataKeys.ts"
import * as StoredPayload from "../payload/StoredPayload.ts"
import type { Event, Head } from "../vocabulary/Event.ts"
import type { Upcast } from "../vocabulary/Upcaster.ts"
import type { Segments } from "./archive/Segments.ts"
import { SqliteError } from "./driver/Driver.ts"
import { DamagedRow, type LogDatabase } from "./file/database.ts"
import { type InternedQuery, NO_TASK, pageQuery, READ_COLUMNS } from "./pageQuery.ts"
import type { Names } from "./stringInterning.ts"

/** What events are read with. */
export interface Reader {
  readonly database: LogDatabase
  readonly names: Names
  /** The one place where old payloads become new ones. */
  readonly upcast: Upcast
  readonly keys: Keys
  readonly segments: Segments
}

/** A row of the log's file, in the order of `READ_COLUMNS`. */
export type Row = ReadonlyArray<unknown>

/** Reads one page, in order of position. */
export const readPage = (reader: Reader, query: Query, limit: number): ReadonlyArray<Event> =>
  pageOf(
    reader,
    query,
    limit,
    (row) => eventOf(reader, row),
    (row) => archivedEvent(reader, row),
  )

/** One page, in order of position, each row as it is asked for: what was archived from its segments, the rest from the log's file. */
export const pageOf = <A>(
  reader: Reader,
  query: Query,
  limit: number,
  ofRetained: (row: Row) => A,
  ofArchived: (row: Stored) => A,
): ReadonlyArray<A> => {
  const { segments } = reader
  for (;;) {
    const floor = segments.floor()
    const { after = 0, until = Number.MAX_SAFE_INTEGER } = query
    const archived = after < floor ? segments.page(query, limit).map(ofArchived) : []
    const room = limit - archived.length
    const rest =
      until <= floor || room === 0
        ? []
        : retainedRows(reader, { ...query, after: Math.max(after, floor) }, room).map(ofRetained)
    // Where events were archived in between, some may have been seen in neither place.
    if (segments.floor() === floor) return archived.length === 0 ? rest : [...archived, ...rest]
  }
}

const retainedRows = ({ names, database }: Reader, query: Query, limit: number): ReadonlyArray<Row> => {
  const interned = internedQuery(names, query)
  if (interned === undefined) return []
  const { sql, parameters } = pageQuery(interned, limit)
  return database.rows(sql, parameters)
}

/** The event that has this id. */
export const findEvent = (reader: Reader, id: string): Event | undefined => {
  const [row] = reader.database.rows(`SELECT ${READ_COLUMNS} FROM events WHERE id = ?`, [bytesOf(id)])
  // Asked after the log's file, so that an event that is archived at this moment is found in one of the two.
  const floor = reader.segments.floor()
  // What still stands in the file of an archived range, nobody reads and nobody verifies.
  if (row !== undefined && Number(row[0]) > floor) return eventOf(reader, row)
  const archived = floor === 0 ? undefined : reader.segments.find(id)
  return archived && archivedEvent(reader, archived)
}

/** The last position and its hash. */
export const readHead = (database: LogDatabase): Head => {
  const [row] = database.rows("SELECT position, hash FROM events ORDER BY position DESC LIMIT 1")
  return row === undefined ? EMPTY : { position: Number(row[0]), hash: hexOf(row[1]) }
}

const EMPTY: Head = { position: 0, hash: Chain.GENESIS }

/** The hash of the event at a position, wherever it stands now; undefined where there is none. */
export const hashAt = (database: LogDatabase, segments: Segments, position: number): string | undefined => {
  const [row] = database.rows("SELECT hash FROM events WHERE position = ?", [position])
  if (position <= segments.floor()) return segments.page({ after: position - 1, until: position }, 1)[0]?.hash
  return row === undefined ? undefined : hexOf(row[0])
}

/** The query with names as the file's own numbers; undefined where it asks for a name that no event has. */
const internedQuery = (names: Names, query: Query): InternedQuery | undefined => {
  const { after = 0, until = null, afterVersion = null } = query
  const idOf = (text: string | undefined) => (text === undefined ? null : names.id(text))
  const timeline = idOf(query.timeline)
  const stream = idOf(query.stream)
  const task = query.taskId === null ? NO_TASK : idOf(query.taskId)
  const types = query.types?.flatMap((type) => names.id(type) ?? []) ?? null
  if (timeline === undefined || stream === undefined || task === undefined || types?.length === 0) return undefined
  return { after, until, timeline, stream, afterVersion, task, types }
}

/** The envelope of a row, and its hash: all but the payload, which is not looked at. */
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

/** A name that a row uses. Numbers beyond 2^53 are not told apart here, so that no row may use one. */
export const nameIn = (names: Names, row: Row, id: unknown): string => {
  const text = Number.isSafeInteger(id) ? names.text(Number(id)) : undefined
  if (text === undefined) throw new DamagedRow(Number(row[0]), "it uses a name that the file does not have")
  return text
}

/** The event of a row. It spells the envelope out once more, because this runs for every event that is folded. */
const eventOf = (reader: Reader, row: Row): Event => {
  const { names, upcast } = reader
  const name = (id: unknown) => nameIn(names, row, id)
  const type = name(row[5])
  const digits = String(row[1])
  const id = uuidOf(digits, 0)
  const stored = { payload: String(row[11]), keyId: row[12] === null ? null : name(row[12]) }
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

/** The event of a segment's row. */
const archivedEvent = (reader: Reader, { link, payload: text, keyId, hash }: Stored): Event => {
  const { payload, personal } = contentOf(reader, link.position, link.id, { payload: text, keyId })
  const event = { ...link, payload: reader.upcast(link.type, link.schemaVersion, payload), hash }
  return personal === undefined ? event : { ...event, personal }
}

/** What stored content says, decrypted as far as the reader has the keys. */
export const contentOf = (reader: Reader, position: number, id: string, stored: StoredPayload.StoredContent) => {
  const { database, keys, segments } = reader
  const blob = (digest: string) => readBlob(database, digest) ?? segments.blob(digest)
  try {
    return StoredPayload.read({ blob, keys }, id, stored)
  } catch (cause) {
    // What is wrong with the blobs or the keys, and not with the event, has a name of its own.
    if (cause instanceof SqliteError || isUnavailable(cause)) throw cause
    throw new DamagedRow(position, cause instanceof Error ? cause.message : String(cause))
  }
}

const isUnavailable = (cause: unknown): boolean =>
  cause instanceof SegmentUnavailable || cause instanceof LogUnavailable

/** The text of a blob; undefined where the file does not have it. */
export const readBlob = (database: LogDatabase, digest: string): string | undefined => {
  const [row] = database.rows("SELECT content FROM blobs WHERE digest = ?", [digest])
  return row === undefined ? undefined : String(row[0])
}

/** Where the id's digits end, and then the hash's. */
const ID_END = 32
const HASH_END = ID_END + 64

/** 32 hexadecimal digits, from a place on, as the text of a UUID. */
const uuidOf = (hex: string, at: number): string =>
  `${hex.slice(at, at + 8)}-${hex.slice(at + 8, at + 12)}-${hex.slice(at + 12, at + 16)}-${hex.slice(at + 16, at + 20)}-${hex.slice(at + 20, at + 32)}`

/** A UUID's text as its 16 bytes. */
export const bytesOf = (uuid: string): Buffer => Buffer.from(uuid.replaceAll("-", ""), "hex")

const hexOf = (bytes: unknown): string => (bytes instanceof Uint8Array ? Buffer.from(bytes).toString("hex") : "")
