/** Reads events from the database: pages, single events, and the head. */

import * as Chain from "../integrity/Chain.ts"
import type { Query } from "../log/EventLog.ts"
import { digestIn } from "../payload/Blob.ts"
import type { Key } from "../payload/PersonalDataKeys.ts"
import * as StoredPayload from "../payload/StoredPayload.ts"
import type { Envelope, StoredEvent } from "../read/Records.ts"
import type { Event, Head } from "../vocabulary/Event.ts"
import type { Upcast } from "../vocabulary/Upcaster.ts"
import { ENVELOPE_COLUMNS, EVENT_COLUMNS, pageQuery } from "./pageQuery.ts"
import type { Database, Row } from "./server/connection.ts"
import { DamagedRow } from "./server/errors.ts"

export interface Reader {
  readonly database: Database
  /** The only place that upcasts payloads. */
  readonly upcast: Upcast
  /** Keys by id, as they are now. Those that are destroyed, or not for this reader, are missing. */
  readonly keys: (ids: ReadonlyArray<string>) => Promise<ReadonlyMap<string, Key>>
}

/** An event exactly as stored. */
export type StoredRow = Omit<StoredEvent, "blob">

export const readPage = async (reader: Reader, query: Query, limit: number): Promise<ReadonlyArray<Event>> =>
  eventsOf(reader, await storedPage(reader.database, query, limit))

/** Reads one page exactly as stored, without blobs. */
export const storedPage = async (
  database: Database,
  query: Query,
  limit: number,
): Promise<ReadonlyArray<StoredRow>> => {
  if (query.types?.length === 0) return []
  const { sql, values } = pageQuery(query, limit)
  return (await database.query(sql, values)).map(storedOf)
}

/** The events with these ids that are in the log. */
export const readByIds = async (reader: Reader, ids: ReadonlyArray<string>): Promise<ReadonlyArray<Event>> =>
  ids.length === 0 ? [] : eventsOf(reader, (await reader.database.query(BY_IDS, [ids])).map(storedOf))

const BY_IDS = `SELECT ${EVENT_COLUMNS} FROM events WHERE id = ANY($1::uuid[])`

/** Reads one page of events without payloads. */
export const envelopesOf = async (
  database: Database,
  query: Query,
  limit: number,
): Promise<ReadonlyArray<Envelope>> => {
  if (query.types?.length === 0) return []
  const { sql, values } = pageQuery(query, limit, ENVELOPE_COLUMNS)
  return (await database.query(sql, values)).map((row) => ({
    position: Number(row[0]),
    timeline: String(row[1]),
    type: String(row[2]),
    taskId: textOrNull(row[3]),
    occurredAt: Number(row[4]),
    recordedAt: Number(row[5]),
  }))
}

export const readHead = async ({ query }: Pick<Database, "query">): Promise<Head> => {
  const [row] = await query("SELECT position, encode(hash, 'hex') FROM events ORDER BY position DESC LIMIT 1")
  return row === undefined ? EMPTY : { position: Number(row[0]), hash: String(row[1]) }
}

/** The first event of a log that has one: it identifies the log. */
export const readFirst = async ({ query }: Pick<Database, "query">): Promise<Head> => {
  const [row] = await query("SELECT position, encode(hash, 'hex') FROM events WHERE position = 1", [])
  if (row === undefined) throw new DamagedRow(1, "the event is missing")
  return { position: Number(row[0]), hash: String(row[1]) }
}

export const EMPTY: Head = { position: 0, hash: Chain.GENESIS }

/** The version of a stream's last event; 0 if it has none. */
export const readVersion = async ({ query }: Database, timeline: string, stream: string): Promise<number> => {
  const [row] = await query(VERSION, [stream, timeline])
  return Number(row?.[0] ?? 0)
}

const VERSION = `SELECT version FROM events WHERE stream = $1 AND hashtextextended(timeline, 0) = hashtextextended($2 COLLATE "C", 0)
  AND timeline = $2 ORDER BY version DESC LIMIT 1`

/** The texts of blobs by digest. Missing ones are left out. */
export const readBlobs = async (
  { query }: Pick<Database, "query">,
  digests: ReadonlyArray<string>,
): Promise<ReadonlyMap<string, string>> => {
  if (digests.length === 0) return NO_BLOBS
  const rows = await query(BLOBS, [digests.map((digest) => Buffer.from(digest, "hex"))])
  return new Map(rows.map(([digest, text]) => [String(digest), String(text)]))
}

const NO_BLOBS: ReadonlyMap<string, string> = new Map()

const BLOBS = "SELECT encode(digest, 'hex'), content FROM blobs WHERE digest = ANY($1::bytea[])"

/** Decodes rows, with the blobs and keys that they name: one statement each, and none if they name none. */
export const eventsOf = async (reader: Reader, rows: ReadonlyArray<StoredRow>): Promise<ReadonlyArray<Event>> => {
  const contents = await contentsOf(reader, rows)
  return rows.map((row) => eventOf(reader, contents, row))
}

/** The blobs and keys that the payloads of some rows need. */
export const contentsOf = async (
  { database, keys }: Reader,
  rows: ReadonlyArray<StoredRow>,
): Promise<StoredPayload.PayloadReader> => {
  const digests = new Set<string>()
  const ids = new Set<string>()
  for (const { stored, keyId } of rows) {
    const digest = digestIn(stored)
    if (digest !== undefined) digests.add(digest)
    if (keyId !== null) ids.add(keyId)
  }
  const [blobs, known] = await Promise.all([
    readBlobs(database, [...digests]),
    ids.size === 0 ? NO_KEYS : keys([...ids]),
  ])
  return { blob: (digest) => blobs.get(digest), keys: { find: (id) => known.get(id) } }
}

const NO_KEYS: ReadonlyMap<string, Key> = new Map()

/** The decoded payload of a row. */
export const contentOf = (contents: StoredPayload.PayloadReader, { link, stored, keyId }: StoredRow) => {
  try {
    return StoredPayload.read(contents, link.id, { payload: stored, keyId })
  } catch (cause) {
    throw new DamagedRow(link.position, cause instanceof Error ? cause.message : String(cause))
  }
}

const eventOf = ({ upcast }: Reader, contents: StoredPayload.PayloadReader, row: StoredRow): Event => {
  const { link, hash } = row
  const { payload, personal } = contentOf(contents, row)
  const event = { ...link, payload: upcast(link.type, link.schemaVersion, payload), hash }
  return personal === undefined ? event : { ...event, personal }
}

export const storedOf = (row: Row): StoredRow => ({
  link: {
    position: Number(row[0]),
    id: String(row[1]),
    timeline: String(row[2]),
    stream: String(row[3]),
    version: Number(row[4]),
    type: String(row[5]),
    schemaVersion: Number(row[6]),
    taskId: textOrNull(row[7]),
    causationId: textOrNull(row[8]),
    actor: String(row[9]),
    occurredAt: Number(row[10]),
    recordedAt: Number(row[11]),
  },
  stored: String(row[12]),
  keyId: textOrNull(row[13]),
  hash: String(row[14]),
})

export const textOrNull = (value: unknown): string | null => (value === null ? null : String(value))
