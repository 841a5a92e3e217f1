import * as fs from "node:fs"
import * as path from "node:path"
import * as Reactivity from "@effect/experimental/Reactivity"
import type { SqlError } from "@effect/sql/SqlError"
import { SqliteClient } from "@effect/sql-sqlite-node"
import { Effect, type Scope } from "effect"
import {
  DiskFull,
  LogBusy,
  LogCorrupt,
  type LogError,
  LogFormatUnsupported,
  LogUnavailable,
  type OpenError,
} from "../EventLog.ts"
import { APPLICATION_ID, DISPOSABLE_TABLES, FORMAT_VERSION, LOG_TABLES } from "./tables.ts"

/** How long a statement waits for another process that holds the file, in milliseconds. */
export const BUSY_TIMEOUT_MS = 5000

/** Bytes to which the write-ahead log shrinks after a checkpoint. */
const WAL_LIMIT_BYTES = 64 * 1024 * 1024

/** What can go wrong with any one statement. */
export type StatementError = LogError | DiskFull

/** One connection to the log's file. Every statement is prepared once and kept. */
export interface Connection {
  readonly filename: string
  /** Runs a statement that returns nothing. */
  readonly run: (sql: string, parameters?: ReadonlyArray<unknown>) => Effect.Effect<void, StatementError>
  /** Runs an insert. Answers false, having written nothing, where another writer took the position first. */
  readonly insert: (sql: string, parameters: ReadonlyArray<unknown>) => Effect.Effect<boolean, StatementError>
  /** Runs a query; each row is an array of its columns. */
  readonly rows: (
    sql: string,
    parameters?: ReadonlyArray<unknown>,
  ) => Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, StatementError>
}

/**
 * Opens the one connection that writes. A file that is not there is created, with its directory; one that is not a
 * Hindcast log, or of a newer format, is refused before anything in it is changed.
 */
export const openWriter = (
  filename: string,
  durability: "normal" | "full",
): Effect.Effect<Connection, OpenError, Scope.Scope> =>
  Effect.gen(function* () {
    yield* makeDirectory(filename)
    const connection = yield* connect(filename, { readonly: false })
    yield* connection.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    if ((yield* checkFormat(connection)) === "empty") yield* createTables(connection)
    yield* connection.rows("PRAGMA journal_mode = WAL")
    yield* connection.run(`PRAGMA synchronous = ${durability}`)
    yield* connection.run("PRAGMA foreign_keys = ON")
    yield* connection.rows(`PRAGMA journal_size_limit = ${WAL_LIMIT_BYTES}`)
    for (const statement of DISPOSABLE_TABLES) yield* connection.run(statement)
    return connection
  }).pipe(Effect.catchTag("DiskFull", fullAtOpening))

/** Opens a connection that can only read, so that a long read never waits behind a write. */
export const openReader = (filename: string): Effect.Effect<Connection, OpenError, Scope.Scope> =>
  Effect.gen(function* () {
    if (!fs.existsSync(filename)) {
      return yield* new LogUnavailable({
        log: filename,
        reason: "there is no such file. Name an existing log with --log FILE or HINDCAST_LOG.",
      })
    }
    const connection = yield* connect(filename, { readonly: true })
    yield* connection.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    if ((yield* checkFormat(connection)) === "empty") {
      return yield* new LogFormatUnsupported({ log: filename, found: "an empty database" })
    }
    return connection
  }).pipe(Effect.catchTag("DiskFull", fullAtOpening))

const fullAtOpening = (error: DiskFull) =>
  new LogUnavailable({ log: error.log, reason: "the disk is full; make room and open it again" })

const makeDirectory = (filename: string) =>
  Effect.try({
    try: () => fs.mkdirSync(path.dirname(filename), { recursive: true }),
    catch: (cause) => new LogUnavailable({ log: filename, reason: `its directory cannot be made: ${String(cause)}` }),
  })

/** The client throws where it cannot open the file; that is an answer here, not a defect. */
const connect = (filename: string, options: { readonly readonly: boolean }) =>
  Effect.gen(function* () {
    const client = yield* SqliteClient.make({ filename, readonly: options.readonly, disableWAL: true }).pipe(
      Effect.provide(Reactivity.layer),
      Effect.catchAllDefect((cause) => Effect.fail(statementError(filename, cause))),
    )
    const reserved = yield* Effect.mapError(client.reserve, (error) => statementError(filename, error.cause))
    const typed = Effect.mapError((error: SqlError) => statementError(filename, error.cause))
    const connection: Connection = {
      filename,
      run: (sql, parameters = []) => Effect.asVoid(typed(reserved.executeRaw(sql, parameters))),
      insert: (sql, parameters) =>
        reserved.executeRaw(sql, parameters).pipe(
          Effect.as(true),
          Effect.catchAll((error) =>
            isOutOfSequence(error.cause) ? Effect.succeed(false) : Effect.fail(statementError(filename, error.cause)),
          ),
        ),
      rows: (sql, parameters = []) => typed(reserved.executeValues(sql, parameters)),
    }
    return connection
  })

/** Whether the file is a log of ours or still empty; anything else is refused. Reads only. */
const checkFormat = (connection: Connection) =>
  Effect.gen(function* () {
    const refuse = (found: string) => new LogFormatUnsupported({ log: connection.filename, found })
    const [[applicationId, format, tables] = []] = yield* connection
      .rows(
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) FROM pragma_application_id, pragma_user_version",
      )
      .pipe(Effect.catchTag("LogCorrupt", (error) => refuse(`a file that SQLite cannot read (${error.reason})`)))
    if (applicationId === 0 && tables === 0) return "empty" as const
    if (applicationId !== APPLICATION_ID) return yield* refuse("an SQLite database of another program")
    if (format !== FORMAT_VERSION) {
      return yield* refuse(`format ${format}, where this version knows format ${FORMAT_VERSION}; update Hindcast`)
    }
    return "log" as const
  })

/** All tables or none; of two processes that create the same file at once, the second finds it made. */
const createTables = (connection: Connection) =>
  Effect.gen(function* () {
    yield* connection.run("BEGIN IMMEDIATE")
    if ((yield* checkFormat(connection)) === "empty") {
      for (const statement of LOG_TABLES) yield* connection.run(statement)
      yield* connection.rows(`PRAGMA application_id = ${APPLICATION_ID}`)
      yield* connection.rows(`PRAGMA user_version = ${FORMAT_VERSION}`)
    }
    yield* connection.run("COMMIT")
  }).pipe(Effect.tapError(() => Effect.ignore(connection.run("ROLLBACK"))))

/** Whether the trigger that keeps positions in sequence refused the row. */
const isOutOfSequence = (cause: unknown): boolean => sqliteCode(cause) === "SQLITE_CONSTRAINT_TRIGGER"

const sqliteCode = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string" ? cause.code : ""

/** Names what SQLite reported by what the caller can do about it. */
const statementError = (log: string, cause: unknown): StatementError => {
  const code = sqliteCode(cause)
  const reason = cause instanceof Error ? cause.message : String(cause)
  if (code.startsWith("SQLITE_BUSY") || code === "SQLITE_LOCKED") return new LogBusy({ log, waitedMs: BUSY_TIMEOUT_MS })
  if (code === "SQLITE_FULL") return new DiskFull({ log })
  if (code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB") {
    return new LogCorrupt({ log, position: null, reason })
  }
  if (code.startsWith("SQLITE_READONLY")) {
    return new LogUnavailable({ log, reason: `it is read-only (${reason}); make the file and its directory writable` })
  }
  if (code === "SQLITE_CANTOPEN") {
    return new LogUnavailable({ log, reason: `it cannot be opened (${reason}); check the path and its permissions` })
  }
  return new LogUnavailable({ log, reason: `${reason}${code === "" ? "" : ` (${code})`}` })
}
