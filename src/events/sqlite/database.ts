import * as fs from "node:fs"
import Database from "better-sqlite3"
import { Effect, Either, type Scope } from "effect"
import { DiskFull, LogBusy, LogCorrupt, type LogError, LogUnavailable, SegmentUnavailable } from "../EventLog.ts"
import * as place from "./place.ts"
import { isUsedUp } from "./room.ts"
import { LOG_TABLES } from "./tables.ts"

/** How long a statement waits for another process that holds the file, in milliseconds. */
export const BUSY_TIMEOUT_MS = 5000

/** What can go wrong with any one statement. */
export type StatementError = LogError | DiskFull

/**
 * One connection to the log's file, for appending and reading: what runs for every event. Statements run at once, and
 * throw what SQLite reports; `attempt` makes that a typed error at the rim.
 */
export interface LogDatabase {
  readonly filename: string
  /** Runs a statement that returns nothing. */
  readonly run: (sql: string, parameters?: ReadonlyArray<unknown>) => void
  readonly inTransaction: () => boolean
  /** Runs a query; each row is an array of its columns. */
  readonly rows: (sql: string, parameters?: ReadonlyArray<unknown>) => ReadonlyArray<ReadonlyArray<unknown>>
}

/** Most prepared statements that a connection keeps. */
const MAX_STATEMENTS = 200

/**
 * Opens a connection that is closed with the scope. The file exists and is a log. Once one of the log's files is removed or
 * replaced, what the connection does fails with `LogUnavailable`.
 */
export const open = (
  filename: string,
  options: { readonly readonly: boolean },
): Effect.Effect<LogDatabase, StatementError, Scope.Scope> =>
  Effect.acquireRelease(
    attempt(filename, () => connect(filename, options)),
    (database) => Effect.sync(() => database.close()),
  )

/** The same at once, for whoever closes it. */
export const connect = (
  filename: string,
  options: { readonly readonly: boolean },
): LogDatabase & { readonly close: () => void } => {
  const database = new Database(filename, { ...options, timeout: BUSY_TIMEOUT_MS })
  try {
    return connection(database, filename, options.readonly)
  } catch (cause) {
    database.close()
    throw cause
  }
}

const connection = (
  database: Database.Database,
  filename: string,
  readonly: boolean,
): LogDatabase & { readonly close: () => void } => {
  // SQLite opens a file that it may not write, and says so only at the first write.
  if (!readonly && !database.memory) fs.accessSync(filename, fs.constants.W_OK)
  // From the first read on, the log's other files are there too.
  database.prepare("SELECT 1 FROM sqlite_schema").get()
  const shared = !readonly && database.pragma("journal_mode", { simple: true }) === "wal"
  const checkPlace = database.memory ? () => {} : place.remember(filename, shared)
  const checkLength = shared ? place.rememberLength(filename, () => extentOf(database)) : () => {}

  const statements = new Map<string, Database.Statement<Array<unknown>>>()
  const prepared = (sql: string) => {
    const known = statements.get(sql)
    if (known !== undefined) return known
    if (statements.size >= MAX_STATEMENTS) statements.clear()
    const statement = database.prepare<Array<unknown>>(sql)
    if (statement.reader) statement.raw(true)
    statements.set(sql, statement)
    return statement
  }
  return {
    filename,
    inTransaction: () => database.inTransaction,
    run: (sql, parameters = []) => {
      if (!database.inTransaction) {
        checkPlace()
        checkLength()
      }
      const statement = prepared(sql)
      // A pragma answers with rows even where nobody asked.
      if (statement.reader) statement.all(...parameters)
      else statement.run(...parameters)
    },
    rows: (sql, parameters = []) => {
      if (readonly) checkPlace()
      return prepared(sql).all(...parameters) as ReadonlyArray<ReadonlyArray<unknown>>
    },
    close: () => database.close(),
  }
}

/** How much of the write-ahead log counts now (https://sqlite.org/pragma.html#pragma_wal_checkpoint: this mode writes nothing). */
const extentOf = (database: Database.Database): place.Extent => {
  const [row] = database.prepare("PRAGMA wal_checkpoint(NOOP)").raw(true).all() as ReadonlyArray<ReadonlyArray<unknown>>
  const pageBytes = Number(database.pragma("page_size", { simple: true }))
  return { frames: Math.max(0, Number(row?.[1] ?? 0)), frameBytes: place.FRAME_HEADER_BYTES + pageBytes }
}

/** Runs something on a database and names what it throws by what the caller can do about it. */
export const attempt = <A>(log: string, run: () => A): Effect.Effect<A, StatementError> =>
  Effect.suspend(() => attemptSync(log, run))

/** The same without an effect around it. */
export const attemptSync = <A>(log: string, run: () => A): Either.Either<A, StatementError> => {
  const began = performance.now()
  try {
    return Either.right(run())
  } catch (cause) {
    return Either.left(statementError(log, cause, performance.now() - began))
  }
}

/** A read needs no room, but SQLite may need some to prepare one. */
export const attemptRead = <A>(log: string, run: () => A): Effect.Effect<A, LogError> =>
  Effect.catchTag(attempt(log, run), "DiskFull", () => noRoom(log))

/** What a full disk is to whoever does not append: one more reason why the log cannot be had. */
export const noRoom = (log: string): LogUnavailable =>
  new LogUnavailable({ log, reason: "the disk is full; make room and try again" })

/** Thrown inside this folder where a row says something that no log says. */
export class DamagedRow extends Error {
  readonly position: number
  constructor(position: number, reason: string) {
    super(reason)
    this.position = position
  }
}

/** Whether the trigger that keeps positions in sequence refused a row: another writer took the position first. */
export const isOutOfSequence = (cause: unknown): boolean =>
  sqliteCode(cause) === "SQLITE_CONSTRAINT_TRIGGER" && messageOf(cause) === OUT_OF_SEQUENCE

/** What the trigger `events_in_sequence` says. */
const OUT_OF_SEQUENCE = "events: an event takes the next position"

const sqliteCode = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string" ? cause.code : ""

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/**
 * Names what SQLite reported by what the caller can do about it. A fault of this program is thrown on.
 *
 * @param tookMs how long it took until it was reported, in milliseconds
 */
export const statementError = (log: string, cause: unknown, tookMs = BUSY_TIMEOUT_MS): StatementError => {
  if (cause instanceof LogUnavailable || cause instanceof SegmentUnavailable || cause instanceof LogCorrupt)
    return cause
  const code = sqliteCode(cause)
  const reason = messageOf(cause)
  if (cause instanceof DamagedRow) return new LogCorrupt({ log, position: cause.position, reason })
  if (code === "") throw cause
  if (code.startsWith("SQLITE_BUSY") || code === "SQLITE_LOCKED") {
    return new LogBusy({ log, waitedMs: Math.round(Math.min(tookMs, BUSY_TIMEOUT_MS)) })
  }
  if (code === "SQLITE_FULL" || (mayBeForWantOfRoom(code) && isUsedUp(log))) return new DiskFull({ log })
  const damage = damageOf(code, reason)
  if (damage !== undefined) return new LogCorrupt({ log, position: null, reason: damage })
  return new LogUnavailable({ log, reason: unavailable(code, reason) })
}

/** A quota that is used up, a file that may not grow, and no room for another file are faults of the disk to SQLite. */
const mayBeForWantOfRoom = (code: string): boolean => code.startsWith("SQLITE_IOERR") || code === "SQLITE_CANTOPEN"

/** What is wrong in the file, where that is why a statement failed: they are all Hindcast's, and hold in a log that it made. */
const damageOf = (code: string, reason: string): string | undefined => {
  if (code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB") return reason
  if (code === "SQLITE_IOERR_SHORT_READ")
    return "it ends before its last page: it, or the -wal beside it, was cut short or replaced"
  if (code.startsWith("SQLITE_CONSTRAINT"))
    return `an event that fits the log is refused by its tables or triggers (${reason})`
  if (code === "SQLITE_ERROR" && isMissingInLog(reason)) return `its tables are not those of a log (${reason})`
  return undefined
}

/** Statements fit the tables that Hindcast makes. Those of which nothing is part of the record may be dropped by anyone. */
const isMissingInLog = (reason: string): boolean => {
  const table = /^no such table: (?:main\.)?(\w+)$/.exec(reason)?.[1]
  if (table === undefined) return reason.startsWith("no such column")
  return LOG_TABLES.some((statement) => statement.startsWith(`CREATE TABLE ${table} `))
}

const unavailable = (code: string, reason: string): string => {
  if (code.startsWith("SQLITE_READONLY") || READ_ONLY_CODES.has(code))
    return `it is read-only (${reason}). ${READ_ONLY_ADVICE}`
  if (code.startsWith("SQLITE_CANTOPEN")) {
    return `it cannot be opened (${reason}). Check the path; where it is right, the file or its directory is closed to this user. ${READ_ONLY_ADVICE}`
  }
  return `${reason} (${code})`
}

/** What the system says where SQLite is not asked. */
const READ_ONLY_CODES: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EROFS"])

const READ_ONLY_ADVICE =
  "To append, make the file and its directory writable; to read, copy the file, with its -wal and -shm if they are there, to a " +
  "directory where you may write, and open the copy."
