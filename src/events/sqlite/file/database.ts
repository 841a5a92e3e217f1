import * as fs from "node:fs"
import { Effect, Either, type Scope } from "effect"
import { DiskFull, LogBusy, LogCorrupt, type LogError, LogUnavailable, SegmentUnavailable } from "../../log/EventLog.ts"
import { driver } from "../driver/choice.ts"
import { type Connection, DriverUnavailable, IN_MEMORY } from "../driver/Driver.ts"
import { isExhausted } from "./diskSpace.ts"
import * as place from "./fileIdentity.ts"
import { LOG_TABLES } from "./schema.ts"
import * as wholeFile from "./truncationCheck.ts"

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
  /**
   * Runs a statement, and answers with how many rows it inserted, changed or deleted by itself (what its triggers did is not
   * counted); 0 for a statement of another kind, and for one that answers with rows. A row that a trigger left out by
   * `RAISE(IGNORE)` is not counted.
   */
  readonly run: (sql: string, parameters?: ReadonlyArray<unknown>) => number
  readonly inTransaction: () => boolean
  /** Runs a query; each row is an array of its columns. */
  readonly rows: (sql: string, parameters?: ReadonlyArray<unknown>) => ReadonlyArray<ReadonlyArray<unknown>>
}

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

/**
 * An empty database for intermediate results, gone with the scope. It is in memory, but for its temporary tables: of those, what
 * does not fit into SQLite's cache is on the disk.
 */
export const scratch: Effect.Effect<LogDatabase, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    const database = connect(IN_MEMORY, { readonly: false })
    database.run("PRAGMA temp_store = FILE")
    return database
  }),
  (database) => Effect.sync(() => database.close()),
)

/** Opens a connection at once, for whoever closes it. */
export const connect = (
  filename: string,
  options: { readonly readonly: boolean },
): LogDatabase & { readonly close: () => void } => {
  const connection = driver().open(filename, { ...options, busyTimeoutMs: BUSY_TIMEOUT_MS })
  try {
    return databaseOf(connection, filename, options.readonly)
  } catch (cause) {
    connection.close()
    throw cause
  }
}

const databaseOf = (
  connection: Connection,
  filename: string,
  readonly: boolean,
): LogDatabase & { readonly close: () => void } => {
  const inMemory = filename === IN_MEMORY
  // SQLite opens a file that it may not write, and says so only at the first write.
  if (!readonly && !inMemory) fs.accessSync(filename, fs.constants.W_OK)
  // From the first read on, the log's other files are there too.
  connection.prepare("SELECT 1 FROM sqlite_schema").rows([])
  connection.script(SETTINGS)
  const shared = !readonly && answerOf(connection, "PRAGMA journal_mode") === "wal"
  const checkPlace = inMemory ? () => {} : place.rememberIdentity(filename, shared)
  const checkSize =
    inMemory || !(shared || readonly) ? () => {} : wholeFile.rememberSize(filename, () => pagesOf(connection), readonly)
  const checkLength = shared ? place.rememberLength(filename, () => extentOf(connection)) : () => {}
  return {
    filename,
    inTransaction: connection.inTransaction,
    run: (sql, parameters = []) => {
      if (!connection.inTransaction()) {
        checkPlace()
        checkLength()
        checkSize()
      }
      return connection.prepare(sql).run(parameters)
    },
    rows: (sql, parameters = []) => {
      if (readonly) checkPlace()
      if (readonly || sql.startsWith(WRITING_BACK)) checkSize()
      return connection.prepare(sql).rows(parameters)
    },
    close: connection.close,
  }
}

/**
 * What the drivers would set each in its own way: 16 MB of cache, and a commit that survives the death of the process. Whoever
 * wants it on the disk says so.
 */
const SETTINGS = "PRAGMA cache_size = -16000; PRAGMA synchronous = NORMAL"

const answerOf = (connection: Connection, sql: string): unknown => connection.prepare(sql).rows([])[0]?.[0]

/** Pages that are written back behind a gap would hide it. */
const WRITING_BACK = "PRAGMA wal_checkpoint"

const pagesOf = (connection: Connection): wholeFile.Pages => ({
  count: Number(answerOf(connection, "PRAGMA page_count")),
  bytes: Number(answerOf(connection, "PRAGMA page_size")),
})

/** How much of the write-ahead log counts now (https://sqlite.org/pragma.html#pragma_wal_checkpoint: this mode writes nothing). */
const extentOf = (connection: Connection): place.FileLength => {
  const [row] = connection.prepare("PRAGMA wal_checkpoint(NOOP)").rows([])
  const pageBytes = Number(answerOf(connection, "PRAGMA page_size"))
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
  if (cause instanceof DriverUnavailable) return new LogUnavailable({ log, reason: cause.message })
  const code = sqliteCode(cause)
  const reason = messageOf(cause)
  if (cause instanceof DamagedRow) return new LogCorrupt({ log, position: cause.position, reason })
  if (code === "") throw cause
  if (code.startsWith("SQLITE_BUSY") || code === "SQLITE_LOCKED") {
    return new LogBusy({ log, waitedMs: Math.round(Math.min(tookMs, BUSY_TIMEOUT_MS)) })
  }
  if (FULL_CODES.has(code) || (mayBeForWantOfRoom(code) && isExhausted(log))) return new DiskFull({ log })
  const damage = damageOf(code, reason)
  if (damage !== undefined) return new LogCorrupt({ log, position: null, reason: damage })
  return new LogUnavailable({ log, reason: unavailable(code, reason) })
}

const FULL_CODES: ReadonlySet<string> = new Set(["SQLITE_FULL", "ENOSPC", "EDQUOT"])

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
