/** Sends sequenced events to the function `append`, one array for each column. */

import type { ValidatedEvent } from "../append/AppendValidation.ts"
import type { Event, Head } from "../vocabulary/Event.ts"
import type { Query } from "./server/connection.ts"

export interface Insertion {
  /** False if the log's head is another: nothing was written. */
  readonly placed: boolean
  /** The server's time, in epoch milliseconds. */
  readonly clock: number
}

export interface Rows {
  readonly rows: ReadonlyArray<Omit<Event, "payload">>
  /** By row. */
  readonly validated: ReadonlyArray<Pick<ValidatedEvent, "stored" | "blob">>
}

/** Inserts the rows directly after a head, all or none. */
export const insert = async (
  query: Query,
  after: Head,
  { rows, validated }: Rows,
  synced: boolean,
): Promise<Insertion> => {
  const blobs = new Map(validated.flatMap(({ blob }) => (blob === null ? [] : [[blob.digest, blob.text] as const])))
  const [row] = await query(APPEND, [
    after.position,
    Buffer.from(after.hash, "hex"),
    synced,
    rows.map(({ recordedAt }) => recordedAt),
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

const APPEND = `SELECT placed, clock FROM append($1, $2, $3, $4::bigint[], $5::uuid[], $6::text[], $7::text[], $8::bigint[], $9::text[], $10::integer[],
  $11::text[], $12::uuid[], $13::text[], $14::bigint[], $15::text[], $16::text[], $17::bytea[], $18::bytea[], $19::text[])`
