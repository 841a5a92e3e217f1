/** Opens a log's file for writing: creates or upgrades it, and refuses files that are not logs. */

import * as fs from "node:fs"
import * as path from "node:path"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, ExecutionStrategy, Exit, Schedule, Scope } from "effect"
import * as OwnerOnly from "../../../platform/OwnerOnly.ts"
import {
  type DiskFull,
  LogCorrupt,
  type LogError,
  LogFormatUnsupported,
  LogUnavailable,
  type OpenError,
} from "../../log/EventLog.ts"
import * as Client from "./client.ts"
import { attempt, BUSY_TIMEOUT_MS, diskFullError, type StatementError, statementError } from "./database.ts"
import { rememberIdentity, targetOf } from "./fileIdentity.ts"
import { hasLogApplicationId } from "./header.ts"
import * as newFile from "./newFile.ts"
import * as openFiles from "./openFiles.ts"
import { assertRegular } from "./regularFiles.ts"
import { APPLICATION_ID, CACHE_TABLES, FORMAT_VERSION, LOG_TABLES, PAGE_BYTES } from "./schema.ts"
import { unreadable } from "./schemaCheck.ts"
import { FROM_FORMAT_1 } from "./upgrade.ts"

/** Size to which a checkpoint truncates the write-ahead log, in bytes. */
const WAL_LIMIT_BYTES = 64 * 1024 * 1024

/**
 * Opens a log's file for writing, with a connection that is closed with the scope. Creates the file and its directory if they are missing.
 * Refuses a file that is not a Hindcast log, or has a newer format, before changing anything in it.
 */
export const open = (filename: string): Effect.Effect<void, OpenError, Scope.Scope> =>
  Effect.gen(function* () {
    yield* makeDirectory(filename)
    yield* attempt(filename, () => assertRegular(filename))
    yield* refuseOrphan(filename)
    yield* attempt(filename, () => refuseReplaced(filename))
    yield* attempt(filename, () => newFile.make(filename))
    const sql = yield* connect(filename, false)
    const found = yield* checkFormat(filename, sql)
    if (found === "log") yield* refuseUnreadable(filename, sql)
    if (found === "empty") {
      yield* sql`PRAGMA page_size = ${sql.literal(String(PAGE_BYTES))}`
      // Lets archiving return freed pages to the file system step by step.
      yield* sql`PRAGMA auto_vacuum = INCREMENTAL`
      yield* transaction(sql, makeTables(filename, sql))
    }
    if (found === "old log") yield* transaction(sql, upgradeTables(filename, sql))
    yield* sql`PRAGMA journal_mode = WAL`
    yield* sql`PRAGMA synchronous = NORMAL`
    yield* sql`PRAGMA journal_size_limit = ${sql.literal(String(WAL_LIMIT_BYTES))}`
    for (const statement of CACHE_TABLES) yield* sql.unsafe(statement)
  }).pipe(mapSqlErrors(filename), patiently)

/** Checks that a file exists and is a log, with a read-only connection. */
export const check = (filename: string): Effect.Effect<void, OpenError> =>
  Effect.gen(function* () {
    if (!fs.existsSync(filename)) {
      return yield* new LogUnavailable({
        log: filename,
        reason: "there is no such file. Name an existing log with --log FILE or HINDCAST_LOG.",
        missing: true,
      })
    }
    yield* attempt(filename, () => assertRegular(filename))
    yield* attempt(filename, () => refuseReplaced(filename))
    const sql = yield* connect(filename, true)
    const found = yield* checkFormat(filename, sql)
    if (found === "log") return yield* refuseUnreadable(filename, sql)
    return yield* new LogFormatUnsupported({
      log: filename,
      found: found === "empty" ? "an empty database" : OLD_FORMAT,
    })
  }).pipe(mapSqlErrors(filename), patiently, Effect.scoped)

/**
 * Opens something again while it is busy, for as long as a statement waits. Where SQLite changes to the write-ahead log, recovers
 * it or removes it as the last one to close it, it reports at once that another process does so, without waiting for that process.
 */
export const patiently = <A, E extends { readonly _tag: string }, R>(
  opening: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R | Scope.Scope> =>
  Effect.gen(function* () {
    const until = performance.now() + BUSY_TIMEOUT_MS
    const parent = yield* Effect.scope
    // What a failed attempt has opened is closed before the next one.
    const attempt = Effect.flatMap(Scope.fork(parent, ExecutionStrategy.sequential), (scope) =>
      Effect.tapError(Effect.provideService(opening, Scope.Scope, scope), () => Scope.close(scope, Exit.void)),
    )
    return yield* Effect.retry(attempt, {
      while: ({ _tag }) => _tag === "LogBusy" && performance.now() < until,
      schedule: Schedule.jittered(Schedule.spaced(RETRY_EVERY_MS)),
    })
  })

/** How often a log that is busy is opened again, in milliseconds. */
const RETRY_EVERY_MS = 50

/**
 * Maps SQL errors to the log's errors. `DiskFull` becomes `LogUnavailable`: callers here open a log or take its lease.
 */
export const mapSqlErrors =
  (filename: string) =>
  <A, E extends { readonly _tag: string }, R>(
    effect: Effect.Effect<A, E | SqlError, R>,
  ): Effect.Effect<A, Exclude<E, SqlError | DiskFull> | LogError, R> =>
    Effect.catchAll(effect, (error): Effect.Effect<never, Exclude<E, SqlError | DiskFull> | LogError> => {
      const named = isSqlError(error) ? statementError(filename, error.cause) : error
      return isDiskFull(named)
        ? diskFullError(filename)
        : Effect.fail(named as Exclude<E, SqlError | DiskFull> | LogError)
    })

const isSqlError = (error: { readonly _tag: string }): error is SqlError => error._tag === "SqlError"

const isDiskFull = (error: { readonly _tag: string }): error is DiskFull => error._tag === "DiskFull"

const makeDirectory = (filename: string) =>
  Effect.try({
    try: () => OwnerOnly.makeDirectory(path.dirname(filename)),
    catch: (cause) => new LogUnavailable({ log: filename, reason: `its directory cannot be made: ${String(cause)}` }),
  })

/**
 * If the log's file is gone and its write-ahead log is not, SQLite would create a new file and delete the write-ahead
 * log.
 */
const refuseOrphan = (filename: string) =>
  attempt(filename, () => {
    const target = targetOf(filename)
    const [file, wal] = [target, `${target}-wal`].map((name) => fs.statSync(name, { throwIfNoEntry: false })?.size ?? 0)
    if (file !== 0 || wal === 0) return
    throw new LogUnavailable({
      log: filename,
      reason:
        `the file is missing or empty, and ${path.basename(target)}-wal beside it holds ${wal} bytes of acknowledged events. ` +
        "Put the file back beside it; or, to begin a new log, move the -wal away.",
    })
  })

/** If this process has the log open, and a file of it was replaced since, a new connection would use the shared memory of the others. */
const refuseReplaced = (filename: string): void => {
  const log = openFiles.find(filename)
  if (log !== undefined) rememberIdentity(filename, false, log.known)()
}

/** The client dies if it cannot open the file; that becomes a typed error. */
const connect = (
  filename: string,
  readonly: boolean,
): Effect.Effect<SqlClient, StatementError | SqlError, Scope.Scope> =>
  Client.open(filename, { readonly }).pipe(
    Effect.catchAllDefect((cause) => Effect.fail(statementError(filename, cause))),
  )

const OLD_FORMAT = `format 1, which \`hindcast log upgrade\`, or opening it for writing, brings to format ${FORMAT_VERSION}`

/** Whether the file is a log of this format or the previous one, or still empty. Fails for anything else. */
const checkFormat = (filename: string, sql: SqlClient) =>
  Effect.gen(function* () {
    const refuse = (found: string) => new LogFormatUnsupported({ log: filename, found })
    const [found] = yield* sql<{ readonly owner: number; readonly format: number; readonly tables: number }>`
      SELECT application_id AS owner, user_version AS format, (SELECT count(*) FROM sqlite_schema) AS tables
      FROM pragma_application_id, pragma_user_version`.pipe(
      mapSqlErrors(filename),
      Effect.catchTag(
        "LogCorrupt",
        (error): Effect.Effect<never, LogCorrupt | LogFormatUnsupported> =>
          hasLogApplicationId(filename) ? error : refuse(`a file that SQLite cannot read (${error.reason})`),
      ),
    )
    if (found === undefined || (found.owner === 0 && found.tables === 0)) return "empty" as const
    if (found.owner !== APPLICATION_ID) return yield* refuse("an SQLite database of another program")
    if (found.format === 1) return "old log" as const
    if (found.format !== FORMAT_VERSION) {
      return yield* refuse(`format ${found.format}, where this version knows format ${FORMAT_VERSION}; update Hindcast`)
    }
    return "log" as const
  })

/** Refuses a log before the first query of its tables, if one of them is not the table that Hindcast creates. */
const refuseUnreadable = (filename: string, sql: SqlClient) =>
  Effect.gen(function* () {
    const reason = unreadable(
      yield* sql<{
        readonly type: string
        readonly name: string
        readonly sql: string | null
      }>`SELECT type, name, sql FROM sqlite_schema`,
    )
    if (reason === undefined) return
    return yield* new LogCorrupt({ log: filename, position: null, reason: `${reason}. Nothing of it is read` })
  })

/** If two processes create the same file at once, the second one finds the tables. */
const makeTables = (filename: string, sql: SqlClient) =>
  Effect.gen(function* () {
    if ((yield* checkFormat(filename, sql)) !== "empty") return
    for (const statement of LOG_TABLES) yield* sql.unsafe(statement)
    yield* sql.unsafe(`PRAGMA application_id = ${APPLICATION_ID}`)
    yield* sql.unsafe(`PRAGMA user_version = ${FORMAT_VERSION}`)
  })

const upgradeTables = (filename: string, sql: SqlClient) =>
  Effect.gen(function* () {
    if ((yield* checkFormat(filename, sql)) !== "old log") return
    for (const statement of FROM_FORMAT_1) yield* sql.unsafe(statement)
  })

/** Runs all of `body` in one transaction. */
const transaction = <A, E, R>(sql: SqlClient, body: Effect.Effect<A, E, R>) =>
  // Not `withTransaction`: it begins deferred, so that two processes that read before they write would block each
  // other.
  Effect.zipRight(sql`BEGIN IMMEDIATE`, body).pipe(
    Effect.zipLeft(sql`COMMIT`),
    Effect.tapError(() => Effect.ignore(sql`ROLLBACK`)),
  )
