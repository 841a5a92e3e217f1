/** Sends sequenced events to the function `append`, one array for each column. */

import type { Sequenced } from "../append/Sequencer.ts"
import type { Head } from "../vocabulary/Event.ts"
import type { Query } from "./server/connection.ts"

export interface Insertion {
  /** False if the log's head is another: nothing was written. */
  readonly placed: boolean
  /** The server's time, in epoch milliseconds. */
  readonly clock: number
}

/** Inserts the rows directly after a head, all or none. They share one time of recording. */
export const insert = async (
  query: Query,
  after: Head,
  { rows, validated }: Pick<Sequenced, "rows" | "validated">,
  synced: boolean,
): Promise<Insertion> => {
  const blobs = new Map(validated.flatMap(({ blob }) => (blob === null ? [] : [[blob.digest, blob.text] as const])))
  const [row] = await query(APPEND, [
    after.position,
    Buffer.from(after.hash, "hex"),
    synced,
    rows[0]?.recordedAt ?? 0,
    rows.map(({ id }) => id),
    rows.map(({ timeline }) => timeline),
    rows.map(({ stream }) => stream),
    rows.map(({ version }) => version),
    rows.map(({ type }) => type),
    rows.map(({ schemaVersion }) => schemaVersion),
    rows.map(({ taskId }) => taskId),
    rows.map(({ causationId }) => causationId),
    rows.map(({ actor }) => actor),
    rows.map(({ occurredAt }) => occurredAt),
    validated.map(({ stored }) => stored),
    rows.map(({ personal }) => personal?.keyId ?? null),
    rows.map(({ hash }) => Buffer.from(hash, "hex")),
    [...blobs.keys()].map((digest) => Buffer.from(digest, "hex")),
    [...blobs.values()],
  ])
  return { placed: row?.[0] === true, clock: Number(row?.[1]) }
}

const APPEND = `SELECT placed, clock FROM append($1, $2, $3, $4, $5::uuid[], $6::text[], $7::text[], $8::bigint[], $9::text[], $10::integer[],
  $11::text[], $12::uuid[], $13::text[], $14::bigint[], $15::text[], $16::text[], $17::bytea[], $18::bytea[], $19::text[])`
