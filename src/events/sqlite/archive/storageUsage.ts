/** Measures the storage of a log: bytes by table, index, event type and stream. */

import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import { yieldToEventLoop } from "../../../platform/yieldToEventLoop.ts"
import * as Options from "../../../values/Options.ts"
import type { OpenError } from "../../log/EventLog.ts"
import type { EventSpace, Space, StoragePart, StorageShare } from "../../maintenance/StorageUsage.ts"
import * as Database from "../file/database.ts"
import * as openDatabase from "../file/openDatabase.ts"
import { directoryOf } from "./Segments.ts"

/** Options of `measureSpace`. */
export interface SpaceOptions {
  /** Streams to list, those with the most payload bytes; the others are summed. Default: 20. */
  readonly streams?: number
}

/** Schema of `SpaceOptions`. */
export const SpaceOptions = Options.of<SpaceOptions>({ optional: { streams: Options.wholeNumber(0) } })

const STREAMS = 20

/**
 * Measures the storage of a log, in one read transaction on a connection of its own, so that all figures are of the
 * same moment while others append. Counts in SQL, in constant memory, and parses no payload. One step blocks the
 * process for about 50 ms per 200,000 events; it yields to the event loop between steps.
 */
export const measureSpace = (
  filename: string,
  options: SpaceOptions = {},
): Effect.Effect<Space, Options.InvalidOptions | OpenError> =>
  Effect.gen(function* () {
    const { streams = STREAMS } = yield* Options.decode("measureSpace", SpaceOptions, options)
    yield* openDatabase.check(filename)
    const database = yield* Effect.catchTag(Database.open(filename, { readonly: true }), "DiskFull", Effect.die)
    const step = <A>(read: (database: Database.LogDatabase) => A) =>
      Effect.zipLeft(
        Database.attemptRead(filename, () => read(database)),
        yieldToEventLoop,
      )
    yield* Effect.acquireRelease(
      step(() => database.run("BEGIN")),
      // A disk error may have ended the transaction already.
      () => Effect.sync(() => database.inTransaction() && database.run("ROLLBACK")),
    )
    const { bytes, freeBytes } = yield* step(pages)
    const parts = yield* step(partsOf)
    const events = yield* step((database) => eventSpace(database, parts))
    const types = yield* step((database) => shares(database, "type"))
    const named = yield* step((database) => shares(database, "stream", streams))
    const allStreams = yield* step(
      (database) => numbers(database, "SELECT count(*) FROM (SELECT DISTINCT stream FROM events)")[0],
    )
    const all = sum(types)
    return {
      log: filename,
      bytes,
      fileBytes: sizeOf(filename),
      walBytes: sizeOf(`${filename}-wal`),
      segmentBytes: segmentsOf(filename),
      freeBytes,
      keptBytes: bytes - freeBytes - parts.reduce((sum, part) => sum + part.bytes, 0),
      events,
      parts,
      types,
      streams: named,
      otherStreams: {
        streams: allStreams - named.length,
        events: all.events - sum(named).events,
        payloadBytes: all.payloadBytes - sum(named).payloadBytes,
      },
    }
  }).pipe(Effect.scoped)

const sizeOf = (filename: string): number => fs.statSync(filename, { throwIfNoEntry: false })?.size ?? 0

const segmentsOf = (filename: string): number => {
  const directory = directoryOf(filename)
  const files = fs.existsSync(directory) ? fs.readdirSync(directory) : []
  return files.reduce((total, file) => total + sizeOf(path.join(directory, file)), 0)
}

/** The first row of a query, as numbers. */
const numbers = (database: Database.LogDatabase, sql: string): [number, number, number] => {
  const [row] = database.rows(sql)
  return [Number(row?.[0] ?? 0), Number(row?.[1] ?? 0), Number(row?.[2] ?? 0)]
}

const pages = (database: Database.LogDatabase) => {
  const [size, all, free] = numbers(
    database,
    "SELECT page_size, page_count, freelist_count FROM pragma_page_size, pragma_page_count, pragma_freelist_count",
  )
  return { bytes: size * all, freeBytes: size * free }
}

/** Uses `dbstat` (https://sqlite.org/dbstat.html), which counts the pages of every table and index. */
const PARTS = `SELECT stat.name, entry.type, coalesce(entry.tbl_name, stat.name), stat.pgsize, stat.payload,
    (SELECT json_group_array(column.name) FROM pragma_index_info(stat.name) column WHERE entry.type = 'index')
  FROM dbstat stat LEFT JOIN sqlite_schema entry ON entry.name = stat.name
  WHERE stat.aggregate = TRUE ORDER BY stat.pgsize DESC, stat.name`

const partsOf = (database: Database.LogDatabase): ReadonlyArray<StoragePart> =>
  database.rows(PARTS).map(([name, kind, table, bytes, contentBytes, columns]) => ({
    name: String(name),
    // The schema table has no entry in the schema.
    kind: kind === "index" ? "index" : "table",
    table: String(table),
    columns: JSON.parse(String(columns)),
    bytes: Number(bytes),
    contentBytes: Number(contentBytes),
  }))

const eventSpace = (database: Database.LogDatabase, parts: ReadonlyArray<StoragePart>): EventSpace => {
  const [count, last, payloadBytes] = numbers(
    database,
    "SELECT count(*), max(position), sum(octet_length(payload)) FROM events",
  )
  const { bytes, contentBytes } = parts.find(({ name }) => name === "events") ?? { bytes: 0, contentBytes: 0 }
  return {
    count,
    archived: last - count,
    payloadBytes,
    envelopeBytes: contentBytes - payloadBytes,
    pageBytes: bytes - contentBytes,
  }
}

/**
 * Events grouped by a column, the group with the most payload bytes first. An index on the column yields the groups in
 * order.
 */
const shares = (database: Database.LogDatabase, column: "type" | "stream", limit = -1): ReadonlyArray<StorageShare> => {
  const grouped = `SELECT ${column} AS name, count(*) AS events, sum(${payloadSize(database)}) AS bytes
    FROM events GROUP BY ${column} ORDER BY bytes DESC, name LIMIT ?`
  const sql = `SELECT (SELECT text FROM names WHERE id = grouped.name), grouped.name, events, bytes
    FROM (${grouped}) grouped ORDER BY bytes DESC, grouped.name`
  return database.rows(sql, [limit]).map(([text, id, events, bytes]) => ({
    name: text === null ? `(name ${id}, which the file does not have)` : String(text),
    events: Number(events),
    payloadBytes: Number(bytes),
  }))
}

/** Bytes of a blob's name in place of a payload: `"blob:`, 64 digits, `"`. */
const BLOB_NAME_BYTES = 71

/** SQL for the size of a row's payload, or of its blob. Only payloads of the length of a blob's name are compared. */
const payloadSize = (database: Database.LogDatabase): string => {
  const [blobs] = numbers(database, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'blobs'")
  if (blobs === 0) return "octet_length(payload)"
  return `CASE WHEN octet_length(payload) = ${BLOB_NAME_BYTES} AND substr(payload, 1, 6) = '"blob:' THEN
    coalesce((SELECT octet_length(content) FROM blobs WHERE digest = substr(payload, 7, 64)), 0)
    ELSE octet_length(payload) END`
}

const sum = (shares: ReadonlyArray<StorageShare>) => ({
  events: shares.reduce((total, { events }) => total + events, 0),
  payloadBytes: shares.reduce((total, { payloadBytes }) => total + payloadBytes, 0),
})
