/** Measures the storage of a log on PostgreSQL. */

import { Effect, Either } from "effect"
import { type LogError, LogUnavailable } from "../log/EventLog.ts"
import * as ServerUrl from "../log/ServerUrl.ts"
import type { Space, StorageShare } from "../maintenance/StorageUsage.ts"
import * as Address from "./server/address.ts"
import { attemptRead, type Database, make, type Row } from "./server/connection.ts"
import * as Driver from "./server/driver.ts"
import * as install from "./server/install.ts"

/**
 * Measures the log at a URL, with at most so many streams. The server keeps large payloads compressed, so payloads may
 * have more bytes than their table.
 */
export const measureSpace = (url: string, streams: number): Effect.Effect<Space, LogError> =>
  Effect.gen(function* () {
    const parsed = Address.parse(url)
    if (Either.isLeft(parsed)) return yield* new LogUnavailable({ log: ServerUrl.shown(url), reason: parsed.left })
    const database = yield* make(parsed.right, yield* Driver.load(parsed.right.name))
    return yield* attemptRead(parsed.right, async () => {
      await install.find(database)
      return measure(database, streams)
    })
  }).pipe(Effect.scoped)

const measure = async ({ address, name, query }: Database, most: number): Promise<Space> => {
  const parts = (await query(PARTS, [address.schema])).map(([part, kind, table, bytes, columns]) => ({
    name: String(part),
    kind: kind === "i" ? ("index" as const) : ("table" as const),
    table: String(table),
    columns: (JSON.parse(String(columns)) as ReadonlyArray<string>).map(String),
    bytes: Number(bytes),
    contentBytes: Number(bytes),
  }))
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0)
  const [[count, stored] = []] = await query(
    "SELECT count(*), coalesce(sum(pg_column_size(payload)), 0)::bigint FROM events",
  )
  const table = parts.find((part) => part.name === "events")?.bytes ?? 0
  const payloadBytes = Math.min(Number(stored), table)
  const streams = (await query(sharesBy("stream"))).map(shareIn)
  const others = streams.slice(most)
  const total = (of: (share: StorageShare) => number) => others.reduce((sum, share) => sum + of(share), 0)
  return {
    log: name,
    bytes,
    fileBytes: bytes,
    walBytes: 0,
    segmentBytes: 0,
    filesBytes: 0,
    freeBytes: 0,
    keptBytes: 0,
    events: { count: Number(count), archived: 0, payloadBytes, envelopeBytes: table - payloadBytes, pageBytes: 0 },
    parts,
    types: (await query(sharesBy("type"))).map(shareIn),
    streams: streams.slice(0, most),
    otherStreams: {
      streams: others.length,
      events: total(({ events }) => events),
      payloadBytes: total(({ payloadBytes }) => payloadBytes),
    },
  }
}

const shareIn = ([name, events, payloadBytes]: Row): StorageShare => ({
  name: String(name),
  events: Number(events),
  payloadBytes: Number(payloadBytes),
})

/** Tables with what the server keeps apart for them, and indexes with their columns as a JSON list; largest first. */
const PARTS = `SELECT c.relname, c.relkind::text, coalesce(t.relname, c.relname), CASE WHEN c.relkind = 'i' THEN pg_relation_size(c.oid) ELSE pg_table_size(c.oid) END,
    array_to_json(array(SELECT pg_get_indexdef(c.oid, k, true) FROM generate_series(1, coalesce(i.indnkeyatts, 0)) k))::text
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  LEFT JOIN pg_catalog.pg_index i ON i.indexrelid = c.oid LEFT JOIN pg_catalog.pg_class t ON t.oid = i.indrelid
  WHERE n.nspname = $1 AND c.relkind IN ('r', 'i') ORDER BY 4 DESC, 1`

/** A blob counts in full for each event that has it. */
const sharesBy = (column: "type" | "stream"): string =>
  `SELECT e.${column}, count(*), sum(coalesce(octet_length(b.content), octet_length(e.payload)))::bigint
    FROM events e LEFT JOIN blobs b ON b.digest = CASE WHEN left(e.payload, 6) = '"blob:' THEN decode(substr(e.payload, 7, 64), 'hex') END
    GROUP BY 1 ORDER BY 3 DESC, 1`
