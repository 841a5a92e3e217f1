/** The connection of appends and reads, and the mapping of SQLite's errors to the log's errors. */

import * as fs from "node:fs"
import { Effect, Either, type Scope } from "effect"
import { DiskFull, LogBusy, LogCorrupt, type LogError, LogUnavailable, SegmentUnavailable } from "../../log/EventLog.ts"
import { driver } from "../driver/choice.ts"
import { type Connection, DriverUnavailable, IN_MEMORY } from "../driver/Driver.ts"
import { isExhausted } from "./diskSpace.ts"
import * as fileIdentity from "./fileIdentity.ts"
import * as openFiles from "./openFiles.ts"
import { assertRegular } from "./regularFiles.ts"
import { LOG_TABLES } from "./schema.ts"
import * as truncationCheck from "./truncationCheck.ts"

/** How long a statement waits for another process's lock, in milliseconds. */
export const BUSY_TIMEOUT_MS = 5000

export type StatementError = LogError | DiskFull

/** A connection to the log's file. Statements are synchronous and throw SQLite's errors; `attempt` types them. */
export interface LogDatabase {
  readonly filename: string
  /**
   * Runs a statement and returns how many rows it inserted, changed or deleted itself: not through triggers, and
   * without rows that a trigger skipped by `RAISE(IGNORE)`. 0 for other statements, and for those with result rows.
   */
  readonly run: (sql: string, parameters?: ReadonlyArray<unknown>) => number
  readonly inTransaction: () => boolean
  /** Runs statements in succession and checks the log's files only once, before the first. */
  readonly together: <A>(statements: () => A) => A
  /** Each row is an array of columns. */
  readonly rows: (sql: string, parameters?: ReadonlyArray<unknown>) => ReadonlyArray<ReadonlyArray<unknown>>
}

/**
 * Opens a connection that closes with the scope. The file must exist and be a log. Calls fail with `LogUnavailable`
 * once a file of the log is removed or replaced.
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
 * An empty database for intermediate results, in memory; temporary tables beyond SQLite's cache are on disk. Deleted
 * with the scope.
 */
export const temporaryDatabase: Effect.Effect<LogDatabase, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    const database = connect(IN_MEMORY, { readonly: false })
    database.run("PRAGMA temp_store = FILE")
    return database
  }),
  (database) => Effect.sync(() => database.close()),
)

/** Opens a connection that the caller closes. */
export const connect = (
  filename: string,
  options: { readonly readonly: boolean },
): LogDatabase & { readonly close: () => void } => {
  if (filename !== IN_MEMORY) assertRegular(filename)
  const connection = driver().open(filename, { ...options, busyTimeoutMs: BUSY_TIMEOUT_MS })
  const files = filename === IN_MEMORY ? undefined : openFiles.add(filename, connection)
  const close = () => {
    connection.close()
    files?.remove()
  }
  try {
    return { ...databaseOf(connection, filename, options.readonly, files?.known), close }
  } catch (cause) {
    close()
    throw cause
  }
}

const databaseOf = (
  connection: Connection,
  filename: string,
  readonly: boolean,
  known: fileIdentity.KnownFiles | undefined,
): LogDatabase => {
  const inMemory = known === undefined
  // SQLite opens a file without write permission and fails only at the first write.
  if (!readonly && !inMemory) fs.accessSync(filename, fs.constants.W_OK)
  // The first read creates the log's other files.
  connection.prepare("SELECT 1 FROM sqlite_schema").rows([])
  connection.script(SETTINGS)
  const shared = !readonly && scalarOf(connection, "PRAGMA journal_mode") === "wal"
  const checkIdentity = inMemory ? () => 0 : fileIdentity.rememberIdentity(filename, shared, known)
  checkIdentity()
  const checkSize =
    inMemory || !(shared || readonly)
      ? () => {}
      : truncationCheck.rememberSize(filename, () => pagesOf(connection), readonly)
  const checkLength = shared ? fileIdentity.rememberLength(filename, () => walLengthOf(connection)) : () => {}
  const checkAll = () => {
    const size = checkIdentity()
    checkLength()
    checkSize(size)
  }
  let checked = false
  return {
    filename,
    inTransaction: connection.inTransaction,
    together: (statements) => {
      if (checked) return statements()
      checkAll()
      checked = true
      try {
        return statements()
      } finally {
        checked = false
      }
    },
    run: (sql, parameters = []) => {
      if (!checked && !connection.inTransaction()) checkAll()
      return connection.prepare(sql).run(parameters)
    },
    rows: (sql, parameters = []) => {
      // Before a checkpoint, which would hide a gap in the write-ahead log by writing back the pages behind it, and cut
      // off other processes' appends through another shared memory.
      if (!checked && (readonly || !connection.inTransaction())) {
        checkSize(checkIdentity())
      }
      return connection.prepare(sql).rows(parameters)
    },
  }
}

/**
 * The drivers' defaults differ here: 16 MB of cache, and commits that survive the death of the process. Commits that
 * must survive a power failure set `synchronous` themselves.
 */
const SETTINGS = "PRAGMA cache_size = -16000; PRAGMA synchronous = NORMAL"

const scalarOf = (connection: Connection, sql: string): unknown => connection.prepare(sql).rows([])[0]?.[0]

const pagesOf = (connection: Connection): truncationCheck.DatabasePages => ({
  count: Number(scalarOf(connection, "PRAGMA page_count")),
  bytes: Number(scalarOf(connection, "PRAGMA page_size")),
})

/**
 * The valid length of the write-ahead log. `NOOP` writes nothing
 * (https://sqlite.org/pragma.html#pragma_wal_checkpoint).
 */
const walLengthOf = (connection: Connection): fileIdentity.FileLength => {
  const [row] = connection.prepare("PRAGMA wal_checkpoint(NOOP)").rows([])
  const pageBytes = Number(scalarOf(connection, "PRAGMA page_size"))
  return { frames: Math.max(0, Number(row?.[1] ?? 0)), frameBytes: fileIdentity.FRAME_HEADER_BYTES + pageBytes }
}

/** Runs a function and turns its exceptions into typed errors. */
export const attempt = <A>(log: string, run: () => A): Effect.Effect<A, StatementError> =>
  Effect.suspend(() => attemptSync(log, run))

export const attemptSync = <A>(log: string, run: () => A): Either.Either<A, StatementError> => {
  const began = performance.now()
  try {
    return Either.right(run())
  } catch (cause) {
    return Either.left(statementError(log, cause, performance.now() - began))
  }
}

/**
 * Like `attempt`, for reads. SQLite may need disk space to prepare one; without it, they fail with `LogUnavailable`.
 */
export const attemptRead = <A>(log: string, run: () => A): Effect.Effect<A, LogError> =>
  Effect.catchTag(attempt(log, run), "DiskFull", () => diskFullError(log))

export const diskFullError = (log: string): LogUnavailable =>
  new LogUnavailable({ log, reason: "the disk is full; make room and try again" })

/** Thrown within `sqlite/` for a row that no log writes. */
export class DamagedRow extends Error {
  readonly position: number
  constructor(position: number, reason: string) {
    super(reason)
    this.position = position
  }
}

/** True if the trigger that keeps positions in sequence rejected a row, because another writer took the position. */
export const isOutOfSequence = (cause: unknown): boolean =>
  sqliteCode(cause) === "SQLITE_CONSTRAINT_TRIGGER" && messageOf(cause) === OUT_OF_SEQUENCE

/** The message of the trigger `events_in_sequence`. */
const OUT_OF_SEQUENCE = "events: an event takes the next position"

const sqliteCode = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string" ? cause.code : ""

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/**
 * Maps an error of SQLite or the system to one of the log, by remedy. Rethrows defects of this program.
 *
 * @param tookMs time until the error, in milliseconds
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
  if (FULL_CODES.has(code) || (mayBeFullDisk(code) && isExhausted(log))) return new DiskFull({ log })
  const damage = damageOf(code, reason)
  if (damage !== undefined) return new LogCorrupt({ log, position: null, reason: damage })
  return new LogUnavailable({ log, reason: unavailable(code, reason) })
}

const FULL_CODES: ReadonlySet<string> = new Set(["SQLITE_FULL", "ENOSPC", "EDQUOT", "EFBIG"])

/** SQLite reports an exhausted quota, a file size limit, and no space for another file as I/O errors. */
const mayBeFullDisk = (code: string): boolean => code.startsWith("SQLITE_IOERR") || code === "SQLITE_CANTOPEN"

/** Damage that explains a failed statement, if any. All statements are Hindcast's and succeed on an intact log. */
const damageOf = (code: string, reason: string): string | undefined => {
  if (code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB") return reason
  if (code === "SQLITE_IOERR_SHORT_READ")
    return "it ends before its last page: it, or the -wal next to it, was cut short or replaced"
  if (code.startsWith("SQLITE_CONSTRAINT")) return `its tables or triggers refuse a valid event (${reason})`
  if (code === "SQLITE_ERROR" && isMissingInLog(reason)) return `its tables are not those of a log (${reason})`
  return undefined
}

/** True if a table or column that every log has is missing. Cache tables do not count: anyone may drop them. */
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

const READ_ONLY_CODES: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EROFS"])

const READ_ONLY_ADVICE =
  "To append, make the file and its directory writable; to read, copy the file, with its -wal and -shm if they are there, to a " +
  "directory where you may write, and open the copy."
