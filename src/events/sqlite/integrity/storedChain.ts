/** Verifies the chain over the rows of a log's file and segments, trusting nothing that could have been changed. */

import * as crypto from "node:crypto"
import { Effect } from "effect"
import { sha256 } from "../../../values/Digest.ts"
import type { Flaw, StoredRow } from "../../integrity/TamperClassification.ts"
import * as Verifier from "../../integrity/Verifier.ts"
import type { LogError, Query } from "../../log/EventLog.ts"
import type { VerifyOptions } from "../../log/Verification.ts"
import { digestIn } from "../../payload/Blob.ts"
import { MAX_STORED_BYTES, tooLong } from "../../payload/StoredPayload.ts"
import type { Head } from "../../vocabulary/Event.ts"
import type { Segments } from "../archive/Segments.ts"
import { attemptRead, type LogDatabase } from "../file/database.ts"
import { bounded } from "../pageQuery.ts"
import { readHead } from "../read.ts"
import { isExactly, mayDifferFromBytes } from "./utf8.ts"

/**
 * Verifies the chain over the file's current content: reads tables rather than the view, resolves names again, and
 * compares bytes where decoded text could hide a difference.
 *
 * @param from a head up to which the chain is verified. Default: the beginning
 */
export const verifyChain = (
  database: LogDatabase,
  segments: Segments,
  options?: Pick<VerifyOptions, "anchor" | "onProgress">,
  from?: Head,
): Effect.Effect<Verifier.ChainResult, LogError> =>
  Effect.suspend(() => {
    const reading = <A>(read: () => A) => attemptRead(database.filename, read)
    return Verifier.verify(
      {
        head: reading(() => readHead(database)),
        ...rangeSource(database, segments),
        versionBefore: (timeline, stream, position) =>
          reading(() => {
            const retained = Number(database.rows(VERSION_BEFORE, [stream, timeline, position])[0]?.[0] ?? 0)
            return Math.max(retained, archivedVersion(segments, { timeline, stream, until: position - 1 }))
          }),
      },
      options,
      from,
    )
  })

/** The rows of the file and its segments, for walks of the chain. */
export const rangeSource = (database: LogDatabase, segments: Segments): Pick<Verifier.Source, "page"> => {
  const page = pages(database, segments)
  return { page: (after, limit) => attemptRead(database.filename, () => page(after, limit)) }
}

/** The version of the last archived event that a query selects; 0 if there is none. */
const archivedVersion = (segments: Segments, query: Query): number => {
  let version = 0
  for (let after = 0; ; ) {
    const page = segments.page({ ...query, after }, PAGE_SIZE)
    const last = page.at(-1)?.link
    if (last === undefined) return version
    version = last.version
    after = last.position
  }
}

const PAGE_SIZE = 1000

/** Rows as stored: first those of segments, then those of the log's file. */
export const pages = (database: LogDatabase, segments: Segments) => {
  const retained = retainedRows(database)
  return (after: number, limit: number): ReadonlyArray<StoredRow> => {
    for (;;) {
      const floor = segments.floor()
      // Rows before position 1 are faults. This reads them if nothing was archived; otherwise `strays` finds them.
      const rows =
        floor > 0 && after < floor
          ? segments.page({ after }, limit).map((row) => withBlob(row, segments.blob))
          : retained(after, limit)
      // If events were archived meanwhile, some may have been in neither place.
      if (segments.floor() === floor) return rows
    }
  }
}

/** Rows as stored in the log's file, including those at archived positions. */
export const retainedRows = (database: LogDatabase) => {
  const stored = storedRows(database)
  return (after: number, limit: number): ReadonlyArray<StoredRow> => database.rows(PAGE, [after, limit]).map(stored)
}

export const withBlob = (row: StoredRow, blob: (digest: string) => string | undefined): StoredRow => {
  const digest = digestIn(row.payload)
  if (digest === undefined || sha256(blob(digest) ?? "") === digest) return row
  return { ...row, flaw: BLOB_FLAW }
}

const BLOB_FLAW: Flaw = {
  kind: "payload changed",
  reason: "its payload is a blob that is missing or was changed",
}

/** BLOBs as hexadecimal text save a quarter of the time against buffers. */
const PAGE = `SELECT position, lower(hex(id)), timeline, stream, version, type, schema_version, task,
    iif(causation IS NULL, NULL, lower(hex(causation))), actor, recorded_at - occurred_before, recorded_at, ${bounded("payload")}, key_id, lower(hex(hash)),
    octet_length(payload)
  FROM events WHERE position > ? ORDER BY position LIMIT ?`

const VERSION_BEFORE = `SELECT max(version) FROM events WHERE stream = (SELECT id FROM names WHERE text = ?)
  AND timeline = (SELECT id FROM names WHERE text = ?) AND position < ?`

const storedRows = (database: LogDatabase) => {
  const nameOf = names(database)
  return (row: ReadonlyArray<unknown>): StoredRow => {
    const position = Number(row[0])
    const isRead = typeof row[12] !== "number"
    const payload = isRead ? String(row[12]) : ""
    const bad: Array<Flaw> = []
    const name = (column: number, field: string): string => {
      const found = nameOf(Number(row[column]))
      if (found === undefined) bad.push(envelopeFlaw(`its ${field} is a name that the file does not have, or not text`))
      return found ?? ""
    }
    const uuid = (column: number, field: string): string => {
      const hex = String(row[column])
      if (hex.length !== 32) bad.push(envelopeFlaw(`its ${field} is not 16 bytes`))
      return uuidOf(hex)
    }
    const link = {
      position,
      id: uuid(1, "id"),
      timeline: name(2, "timeline"),
      stream: name(3, "stream"),
      version: Number(row[4]),
      type: name(5, "type"),
      schemaVersion: Number(row[6]),
      taskId: row[7] === null ? null : name(7, "task"),
      causationId: row[8] === null ? null : uuid(8, "cause"),
      actor: name(9, "actor"),
      occurredAt: Number(row[10]),
      recordedAt: Number(row[11]),
    }
    const keyId = row[13] === null ? null : name(13, "key")
    if (!isRead) bad.push({ kind: "payload changed", reason: tooLong(Number(row[15])) })
    else if (mayDifferFromBytes(payload, Number(row[15])) && !isExactly(payload, payloadBytes(database, position))) {
      bad.push({ kind: "payload changed", reason: "its payload is not text in UTF-8" })
    }
    const digest = digestIn(payload)
    if (digest !== undefined && !isBlob(database, digest)) bad.push(BLOB_FLAW)
    return { link, payload, keyId, hash: String(row[14]), flaw: bad[0] ?? null }
  }
}

/** True if the file has a blob of this digest whose bytes match. */
const isBlob = (database: LogDatabase, digest: string): boolean => {
  const [row] = database.rows(
    `SELECT CAST(content AS BLOB) FROM blobs WHERE digest = ? AND octet_length(content) <= ${MAX_STORED_BYTES}`,
    [digest],
  )
  return row?.[0] instanceof Uint8Array && crypto.hash("sha256", row[0], "hex") === digest
}

const uuidOf = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`

const envelopeFlaw = (reason: string): Flaw => ({ kind: "envelope changed", reason })

const MAX_NAMES = 10_000

/** Reads names, cached for one verification. Undefined if the file lacks the name or it is not text. */
const names = (database: LogDatabase) => {
  const known = new Map<number, string | undefined>()
  const read = (id: number) => {
    const [row] = database.rows("SELECT text, CAST(text AS BLOB) FROM names WHERE id = ?", [id])
    return row !== undefined && isExactly(String(row[0]), row[1]) ? String(row[0]) : undefined
  }
  return (id: number) => {
    if (known.has(id)) return known.get(id)
    if (known.size >= MAX_NAMES) known.clear()
    const text = read(id)
    known.set(id, text)
    return text
  }
}

const payloadBytes = (database: LogDatabase, position: number): unknown =>
  database.rows("SELECT CAST(payload AS BLOB) FROM events WHERE position = ?", [position])[0]?.[0]
