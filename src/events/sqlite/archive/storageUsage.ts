/** Measures the storage of a log. */

import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import { yieldToEventLoop } from "../../../platform/yieldToEventLoop.ts"
import * as Options from "../../../values/Options.ts"
import type { LogError, OpenError } from "../../log/EventLog.ts"
import type { EventSpace, Space, StoragePart, StorageShare } from "../../maintenance/StorageUsage.ts"
import * as Database from "../file/database.ts"
import { targetOf } from "../file/fileIdentity.ts"
import * as openDatabase from "../file/openDatabase.ts"
import { directoryOf } from "./Segments.ts"

/** Options of `measureSpace`. */
export interface SpaceOptions {
  /** Number of streams to list, those with the most payload bytes; the rest is summed. Default: 20. */
  readonly streams?: number
}

/** Schema of `SpaceOptions`. */
export const SpaceOptions = Options.of<SpaceOptions>({ optional: { streams: Options.wholeNumber(0) } })

const STREAMS = 20

/** See `measureSpace` of `wholeFile`. */
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
      // A disk error may have ended the transaction.
      () => Effect.sync(() => database.inTransaction() && database.run("ROLLBACK")),
    )
    const { bytes, freeBytes } = yield* step(pages)
    const parts = yield* step(partsOf)
    const counted = yield* countEvents(step)
    const events = yield* step((database) => eventSpace(database, parts, counted))
    const types = yield* step((database) => shares(database, counted.types))
    const named = yield* step((database) => shares(database, counted.streams, streams))
    const allStreams = counted.streams.size
    const all = sum(types)
    return {
      log: filename,
      bytes,
      fileBytes: sizeOf(filename),
      walBytes: sizeOf(`${filename}-wal`),
      segmentBytes: segmentsOf(filename),
      filesBytes: sizeOf(`${targetOf(filename)}.files`) + sizeOf(`${targetOf(filename)}.files-wal`),
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

/** `dbstat` (https://sqlite.org/dbstat.html) counts pages by table and index. */
const PARTS = `SELECT stat.name, entry.type, coalesce(entry.tbl_name, stat.name), stat.pgsize, stat.payload,
    (SELECT json_group_array(column.name) FROM pragma_index_info(stat.name) column WHERE entry.type = 'index')
  FROM dbstat stat LEFT JOIN sqlite_schema entry ON entry.name = stat.name
  WHERE stat.aggregate = TRUE ORDER BY stat.pgsize DESC, stat.name`

const partsOf = (database: Database.LogDatabase): ReadonlyArray<StoragePart> =>
  database.rows(PARTS).map(([name, kind, table, bytes, contentBytes, columns]) => ({
    name: String(name),
    // The schema table is not in the schema.
    kind: kind === "index" ? "index" : "table",
    table: String(table),
    columns: JSON.parse(String(columns)),
    bytes: Number(bytes),
    contentBytes: Number(contentBytes),
  }))

const eventSpace = (
  database: Database.LogDatabase,
  parts: ReadonlyArray<StoragePart>,
  { count, last, hasBlobs, types }: Counted,
): EventSpace => {
  // A blob counts here as its name, which the row holds.
  const payloadBytes = hasBlobs
    ? numbers(database, "SELECT sum(octet_length(payload)) FROM events")[0]
    : [...types.values()].reduce((total, { bytes }) => total + bytes, 0)
  const { bytes, contentBytes } = parts.find(({ name }) => name === "events") ?? { bytes: 0, contentBytes: 0 }
  return {
    count,
    archived: last - count,
    payloadBytes,
    envelopeBytes: contentBytes - payloadBytes,
    pageBytes: bytes - contentBytes,
  }
}

interface Tally {
  events: number
  bytes: number
}

/** Events of the file, grouped by name ids of types and streams. */
interface Counted {
  readonly count: number
  readonly last: number
  readonly hasBlobs: boolean
  readonly types: ReadonlyMap<number, Tally>
  readonly streams: ReadonlyMap<number, Tally>
}

/** Events per step of a few milliseconds. */
const SLICE = 5000

/**
 * Reads each event once: grouping by type in SQL would look up each row from an index, and grouping by stream once
 * more. A slice comes as one row of lists, because a result row takes longer than an event.
 */
const countEvents = (step: <A>(read: (database: Database.LogDatabase) => A) => Effect.Effect<A, LogError>) =>
  Effect.gen(function* () {
    const hasBlobs = yield* step(containsBlobs)
    const sql = `SELECT max(position), json_group_array(type), json_group_array(stream), json_group_array(bytes) FROM
      (SELECT position, type, stream, ${hasBlobs ? PAYLOAD_SIZE : "octet_length(payload)"} AS bytes
        FROM events WHERE position > ? ORDER BY position LIMIT ${SLICE})`
    const [types, streams] = [new Map<number, Tally>(), new Map<number, Tally>()]
    let [count, last] = [0, 0]
    for (;;) {
      const [row] = yield* step((database) => database.rows(sql, [last]))
      const [ofType, ofStream, sizes] = [row?.[1], row?.[2], row?.[3]].map(numbersIn)
      if (ofType === undefined || ofStream === undefined || sizes === undefined || sizes.length === 0) break
      for (const [index, bytes] of sizes.entries()) {
        add(types, ofType[index], bytes)
        add(streams, ofStream[index], bytes)
      }
      count += sizes.length
      last = Number(row?.[0])
    }
    const counted: Counted = { count, last, hasBlobs, types, streams }
    return counted
  })

const numbersIn = (list: unknown): ReadonlyArray<number> => JSON.parse(String(list))

const add = (tallies: Map<number, Tally>, name: number | undefined, bytes: number): void => {
  if (name === undefined) return
  const tally = tallies.get(name)
  if (tally === undefined) tallies.set(name, { events: 1, bytes })
  else {
    tally.events += 1
    tally.bytes += bytes
  }
}

const shares = (
  database: Database.LogDatabase,
  tallies: ReadonlyMap<number, Tally>,
  limit = tallies.size,
): ReadonlyArray<StorageShare> => {
  const largest = [...tallies].sort(([oneId, one], [otherId, other]) => other.bytes - one.bytes || oneId - otherId)
  return largest.slice(0, limit).map(([id, { events, bytes }]) => {
    const [row] = database.rows("SELECT text FROM names WHERE id = ?", [id])
    const name = row === undefined ? `(name ${id}, which the file does not have)` : String(row[0])
    return { name, events, payloadBytes: bytes }
  })
}

/** Bytes of a blob's name: `"blob:`, 64 digits, `"`. */
const BLOB_NAME_BYTES = 71

/** SQL for the size of a row's payload or blob. It compares only payloads as long as a blob's name. */
const PAYLOAD_SIZE = `CASE WHEN octet_length(payload) = ${BLOB_NAME_BYTES} AND substr(payload, 1, 6) = '"blob:' THEN
    coalesce((SELECT octet_length(content) FROM blobs WHERE digest = substr(payload, 7, 64)), 0)
    ELSE octet_length(payload) END`

/** Older files have no table of blobs. */
const containsBlobs = (database: Database.LogDatabase): boolean =>
  numbers(database, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'blobs'")[0] > 0 &&
  numbers(database, "SELECT EXISTS (SELECT 1 FROM blobs)")[0] > 0

const sum = (shares: ReadonlyArray<StorageShare>) => ({
  events: shares.reduce((total, { events }) => total + events, 0),
  payloadBytes: shares.reduce((total, { payloadBytes }) => total + payloadBytes, 0),
})
