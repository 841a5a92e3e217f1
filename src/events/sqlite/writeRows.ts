/** Writes rows of sequenced events into the log's file, all or none. */

import type { ValidatedEvent } from "../append/AppendValidation.ts"
import { LogCorrupt } from "../log/EventLog.ts"
import type { Event, Head } from "../vocabulary/Event.ts"
import { isOutOfSequence, type LogDatabase } from "./file/database.ts"
import { COLUMNS } from "./pageQuery.ts"
import { bytesOf } from "./read.ts"
import type { Names } from "./stringInterning.ts"

const MAX_ROWS_PER_INSERT = 64

export const HAS_EVENT = "SELECT 1 FROM events WHERE position = ? AND hash = ?"

export interface SequencedRows {
  readonly rows: ReadonlyArray<Omit<Event, "payload">>
  readonly validated: ReadonlyArray<Pick<ValidatedEvent, "stored" | "blob">>
}

/** Conditions on the file before a row is written. */
export interface Checks {
  readonly schema: () => void
  /** Throws if the event that the rows follow is missing. */
  readonly head: () => void
  /** That event. */
  readonly after: () => Head
  /** Called in the transaction, after all rows. */
  readonly seal?: () => void
}

/**
 * Writes all rows or none. Returns false if another writer took the first position. Throws `LogCorrupt` if SQLite
 * stored another number of rows. Checks run before the first row, in the same transaction. A single row without new
 * names and without a seal needs no transaction: its statement checks the head itself. New names are added in the
 * transaction of their rows, because each commit writes whole pages.
 */
export const write = (database: LogDatabase, names: Names, batch: SequencedRows, checks?: Checks): boolean => {
  const hasBlobs = batch.validated.some(({ blob }) => blob !== null)
  const begin = () => {
    if (database.inTransaction()) return
    database.run("BEGIN IMMEDIATE")
    checks?.schema()
  }
  try {
    const numbers = numbersOf(names, batch, begin)
    const { length } = batch.rows
    if (length === 1 && !hasBlobs && !database.inTransaction()) {
      const only = rowsOf(numbers, batch, 0)
      if (checks?.seal === undefined) return writeOne(database, only, checks)
      database.run("BEGIN IMMEDIATE")
      if (!writeOne(database, only, checks)) {
        rollback(database, names)
        return false
      }
    } else {
      begin()
      checks?.head()
      // One after the other, to keep few of thousands of rows in memory.
      for (let start = 0; start < length; start += MAX_ROWS_PER_INSERT) {
        if (!insert(database, rowsOf(numbers, batch, start))) {
          rollback(database, names)
          return false
        }
      }
      if (hasBlobs) writeBlobs(database, batch)
    }
    checks?.seal?.()
    database.run("COMMIT")
    return true
  } catch (cause) {
    rollback(database, names)
    throw cause
  }
}

const writeOne = (database: LogDatabase, row: Rows, checks: Checks | undefined): boolean => {
  checks?.schema()
  const { position, hash } = checks?.after() ?? NONE
  if (position > 0) {
    const stored = runInsert(database, INSERT_AFTER, [...row.values, position, Buffer.from(hash, "hex")])
    if (stored !== 0) return stored === 1
    // The head was archived or lost, or a trigger skipped the row.
    checks?.head()
  }
  return insert(database, row)
}

const NONE: Head = { position: 0, hash: "" }

/** Stores each blob once with the last event that names it, because archiving that event moves the blob. */
const writeBlobs = (database: LogDatabase, { rows, validated }: SequencedRows): void => {
  for (const [index, { blob }] of validated.entries()) {
    if (blob === null) continue
    expectStored(database, 1, database.run(SAVE_BLOB, [blob.digest, rows[index]?.position, blob.text]))
  }
}

const SAVE_BLOB = `INSERT INTO blobs (digest, last_position, content) VALUES (?, ?, ?)
  ON CONFLICT (digest) DO UPDATE SET last_position = excluded.last_position`

/** After some errors SQLite has already rolled back. */
const rollback = (database: LogDatabase, names: Names): void => {
  names.forget()
  if (database.inTransaction()) database.run("ROLLBACK")
}

interface Rows {
  readonly count: number
  readonly values: ReadonlyArray<unknown>
}

const insert = (database: LogDatabase, { count, values }: Rows): boolean => {
  const stored = runInsert(database, INSERTS[count] ?? "", values)
  if (stored !== OUT_OF_SEQUENCE) expectStored(database, count, stored)
  return stored !== OUT_OF_SEQUENCE
}

/** The number of stored rows; `OUT_OF_SEQUENCE` if another writer took the first position. */
const runInsert = (database: LogDatabase, sql: string, values: ReadonlyArray<unknown>): number => {
  try {
    return database.run(sql, values)
  } catch (cause) {
    if (isOutOfSequence(cause)) return OUT_OF_SEQUENCE
    throw cause
  }
}

const OUT_OF_SEQUENCE = -1

/** SQLite reports nothing if a trigger skips a row. Such a row must not be acknowledged. */
const expectStored = (database: LogDatabase, expected: number, stored: number): void => {
  if (stored === expected) return
  const reason = `SQLite stored ${stored} of ${expected} rows: a trigger of another program skipped the others`
  throw new LogCorrupt({ log: database.filename, position: null, reason })
}

const ROW = `(${COLUMNS.replaceAll(/\w+/g, "?")})`

/** By number of rows. */
const INSERTS = Array.from(
  { length: MAX_ROWS_PER_INSERT + 1 },
  (_, rows) => `INSERT INTO events (${COLUMNS}) VALUES ${Array.from({ length: rows }, () => ROW).join(", ")}`,
)

/** Inserts one row if the event that it follows exists. */
const INSERT_AFTER = `INSERT INTO events (${COLUMNS}) SELECT ${ROW.slice(1, -1)} WHERE EXISTS (${HAS_EVENT})`

/**
 * Numbers of the batch's names. Adds new names before the first INSERT.
 *
 * @param adding runs before a name is added
 */
const numbersOf = (names: Names, { rows }: SequencedRows, adding: () => void): ReadonlyMap<string, number> => {
  const numbers = new Map<string, number>()
  const add = (name: string) => {
    if (!numbers.has(name)) numbers.set(name, names.intern(name, adding))
  }
  for (const { timeline, stream, type, taskId, actor, personal } of rows) {
    add(timeline)
    add(stream)
    add(type)
    if (taskId !== null) add(taskId)
    add(actor)
    if (personal !== undefined) add(personal.keyId)
  }
  return numbers
}

/** The rows of the batch from `start` that fit into one INSERT. */
const rowsOf = (numbers: ReadonlyMap<string, number>, { rows, validated }: SequencedRows, start: number): Rows => {
  const values: Array<unknown> = []
  const end = Math.min(start + MAX_ROWS_PER_INSERT, rows.length)
  for (let index = start; index < end; index++) {
    const event = rows[index]
    if (event !== undefined) pushRow(values, numbers, event, validated[index]?.stored ?? "")
  }
  return { count: end - start, values }
}

const pushRow = (
  values: Array<unknown>,
  numbers: ReadonlyMap<string, number>,
  event: SequencedRows["rows"][number],
  stored: string,
): void => {
  values.push(
    event.position,
    bytesOf(event.id),
    numbers.get(event.timeline),
    numbers.get(event.stream),
    event.version,
    numbers.get(event.type),
    event.schemaVersion,
    event.taskId === null ? null : numbers.get(event.taskId),
    event.causationId === null ? null : bytesOf(event.causationId),
    numbers.get(event.actor),
    event.recordedAt - event.occurredAt,
    event.recordedAt,
    stored,
    event.personal === undefined ? null : numbers.get(event.personal.keyId),
    Buffer.from(event.hash, "hex"),
  )
}
