/** Sends sequenced events to the function `append`, one array for each column, or a single one to `append_event`. */

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
  const beginning = [after.position, Buffer.from(after.hash, "hex"), synced]
  const [event, ...further] = rows
  const [row] =
    event !== undefined && further.length === 0 && blobs.size === 0
      ? await query(APPEND_EVENT, [...beginning, ...valuesOf(event, validated[0]?.stored ?? "")])
      : await query(APPEND, [
          ...beginning,
          ...columnsOf(rows.map((row, index) => valuesOf(row, validated[index]?.stored ?? ""))),
          [...blobs.keys()].map((digest) => Buffer.from(digest, "hex")),
          [...blobs.values()],
        ])
  return { placed: row?.[0] === true, clock: Number(row?.[1]) }
}

/** The values of an event in the order of the functions' parameters. */
const valuesOf = (row: Rows["rows"][number], stored: string): ReadonlyArray<unknown> => [
  row.recordedAt,
  row.id,
  row.timeline,
  row.stream,
  row.version,
  row.type,
  row.schemaVersion,
  row.taskId,
  row.causationId,
  row.actor,
  row.occurredAt,
  stored,
  row.personal?.keyId ?? null,
  Buffer.from(row.hash, "hex"),
]

const columnsOf = (values: ReadonlyArray<ReadonlyArray<unknown>>): ReadonlyArray<ReadonlyArray<unknown>> =>
  Array.from({ length: VALUES }, (_, column) => values.map((row) => row[column]))

const VALUES = 14

const APPEND = `SELECT placed, clock FROM append($1, $2, $3, $4::bigint[], $5::uuid[], $6::text[], $7::text[], $8::bigint[], $9::text[], $10::integer[],
  $11::text[], $12::uuid[], $13::text[], $14::bigint[], $15::text[], $16::text[], $17::bytea[], $18::bytea[], $19::text[])`

const APPEND_EVENT =
  "SELECT placed, clock FROM append_event($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)"
