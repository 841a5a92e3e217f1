import { Effect } from "effect"
import * as Chain from "../Chain.ts"
import { type Head, type LogError, Verification } from "../EventLog.ts"
import { attemptRead, type LogDatabase } from "./database.ts"
import { uuidOf } from "./read.ts"

/** Rows read in one step: constant memory, whatever the log's length. */
const PAGE_SIZE = 1000

/**
 * Walks the chain from the first event, over what the file says now: the payload's bytes as stored, and each name as the
 * file spells it today. Names the first position that fails.
 */
export const verify = (database: LogDatabase): Effect.Effect<Verification, LogError> =>
  Effect.gen(function* () {
    let head: Head = { position: 0, hash: Chain.GENESIS }
    while (true) {
      const rows = yield* attemptRead(database.filename, () => database.rows(PAGE, [head.position, PAGE_SIZE]))
      const walked = walk(head, rows)
      if ("reason" in walked) return Verification.Tampered(walked)
      head = walked
      if (rows.length < PAGE_SIZE) return Verification.Intact({ head, events: head.position })
    }
  })

/** Goes from one head to the next over some rows, or says where the chain breaks. */
const walk = (
  from: Head,
  rows: ReadonlyArray<ReadonlyArray<unknown>>,
): Head | { readonly position: number; readonly reason: string } => {
  let { position, hash } = from
  for (const row of rows) {
    const link = linkOf(row)
    if (link.position !== position + 1) return { position: position + 1, reason: "the event is missing" }
    position = link.position
    const keyId = row[13] === null ? null : String(row[13])
    hash = Chain.link(hash, link, String(row[12]), keyId)
    if (hash !== row[14]) return { position, reason: "the event's content does not give its hash" }
  }
  return { position, hash }
}

const PAGE = `SELECT position, id, timeline, stream, version, type, schema_version, task, causation, actor, occurred_at,
  recorded_at, payload, key_id, hash FROM event_log WHERE position > ? ORDER BY position LIMIT ?`

const linkOf = (row: ReadonlyArray<unknown>): Chain.Link => {
  const [position, id, timeline, stream, version, type, schemaVersion, task, causation, actor] = row
  const uuid = (hex: unknown) => uuidOf(Buffer.from(String(hex), "hex"))
  return {
    position: Number(position),
    id: uuid(id),
    timeline: String(timeline),
    stream: String(stream),
    version: Number(version),
    type: String(type),
    schemaVersion: Number(schemaVersion),
    taskId: task === null ? null : String(task),
    causationId: causation === null || causation === "" ? null : uuid(causation),
    actor: String(actor),
    occurredAt: Number(row[10]),
    recordedAt: Number(row[11]),
  }
}
