/** Opens a log's file: creates, upgrades or refuses it. */

import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, ExecutionStrategy, Exit, Schedule, Scope } from "effect"
import * as OwnerOnly from "../../../platform/OwnerOnly.ts"
import { type DiskFull, LogCorrupt, LogFormatUnsupported, LogUnavailable, type OpenError } from "../../log/EventLog.ts"
import { driver } from "../driver/choice.ts"
import type { Connection } from "../driver/Driver.ts"
import { attempt, BUSY_TIMEOUT_MS, diskFullError, type StatementError } from "./database.ts"
import { rememberIdentity, targetOf } from "./fileIdentity.ts"
import { hasLogApplicationId } from "./header.ts"
import * as newFile from "./newFile.ts"
import * as openFiles from "./openFiles.ts"
import { assertRegular } from "./regularFiles.ts"
import { APPLICATION_ID, CACHE_TABLES, FORMAT_VERSION, LOG_TABLES, PAGE_BYTES } from "./schema.ts"
import { unreadable } from "./schemaCheck.ts"
import { FROM_FORMAT_1 } from "./upgrade.ts"

/** A checkpoint truncates the write-ahead log to this size. */
const WAL_LIMIT_BYTES = 64 * 1024 * 1024

/**
 * Opens a log's file for writing, with a connection that closes with the scope. Creates the file and its directory if
 * missing. Refuses, unchanged, a file that is no Hindcast log or has a newer format.
 */
export const open = (filename: string): Effect.Effect<void, OpenError, Scope.Scope> =>
  Effect.gen(function* () {
    // Without a driver, leave no empty file, which the next one would refuse.
    yield* attempt(filename, driver)
    yield* makeDirectory(filename)
    yield* attempt(filename, () => assertRegular(filename))
    yield* refuseOrphan(filename)
    yield* attempt(filename, () => refuseReplaced(filename))
    yield* attempt(filename, () => newFile.make(filename))
    const file = yield* connect(filename, false)
    const found = yield* checkFormat(file)
    if (found === "log") yield* refuseUnreadable(file)
    if (found === "empty") {
      yield* file.run(`PRAGMA page_size = ${PAGE_BYTES}`)
      // Lets archiving return freed pages to the file system step by step.
      yield* file.run("PRAGMA auto_vacuum = INCREMENTAL")
      yield* transaction(file, makeTables(file))
    }
    if (found === "old log") yield* transaction(file, upgradeTables(file))
    yield* file.run("PRAGMA journal_mode = WAL")
    yield* file.run("PRAGMA synchronous = NORMAL")
    yield* file.run(`PRAGMA journal_size_limit = ${WAL_LIMIT_BYTES}`)
    for (const statement of CACHE_TABLES) yield* file.run(statement)
  }).pipe(mapDiskFull(filename), patiently)

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
    const file = yield* connect(filename, true)
    const found = yield* checkFormat(file)
    if (found === "log") return yield* refuseUnreadable(file)
    return yield* new LogFormatUnsupported({
      log: filename,
      found: found === "empty" ? "an empty database" : OLD_FORMAT,
    })
  }).pipe(mapDiskFull(filename), patiently, Effect.scoped)

/**
 * Retries while the log is busy, as long as a statement would wait. SQLite reports at once, without waiting, that
 * another process is switching to the write-ahead log, recovering it, or removing it at closing.
 */
export const patiently = <A, E extends { readonly _tag: string }, R>(
  opening: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R | Scope.Scope> =>
  Effect.gen(function* () {
    const until = performance.now() + BUSY_TIMEOUT_MS
    const parent = yield* Effect.scope
    // Closes the connections of a failed attempt before the next one.
    const attempt = Effect.flatMap(Scope.fork(parent, ExecutionStrategy.sequential), (scope) =>
      Effect.tapError(Effect.provideService(opening, Scope.Scope, scope), () => Scope.close(scope, Exit.void)),
    )
    return yield* Effect.retry(attempt, {
      while: ({ _tag }) => _tag === "LogBusy" && performance.now() < until,
      schedule: Schedule.jittered(Schedule.spaced(RETRY_EVERY_MS)),
    })
  })

/** In milliseconds. */
const RETRY_EVERY_MS = 50

/** Maps `DiskFull` to `LogUnavailable`, for callers that open a log or take its lease. */
export const mapDiskFull =
  (filename: string) =>
  <A, E extends { readonly _tag: string }, R>(
    effect: Effect.Effect<A, E, R>,
  ): Effect.Effect<A, Exclude<E, DiskFull> | LogUnavailable, R> =>
    Effect.catchAll(
      effect,
      (error): Effect.Effect<never, Exclude<E, DiskFull> | LogUnavailable> =>
        isDiskFull(error) ? diskFullError(filename) : Effect.fail(error as Exclude<E, DiskFull>),
    )

const isDiskFull = (error: { readonly _tag: string }): error is DiskFull => error._tag === "DiskFull"

const makeDirectory = (filename: string) =>
  Effect.try({
    try: () => OwnerOnly.makeDirectory(path.dirname(filename)),
    catch: (cause) => new LogUnavailable({ log: filename, reason: `its directory cannot be made: ${String(cause)}` }),
  })

/**
 * If the log's file is gone but its write-ahead log exists, SQLite would create a new file and delete the write-ahead
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
        `the file is missing or empty, and ${path.basename(target)}-wal next to it holds ${wal} bytes of acknowledged events. ` +
        "Put the file back next to it; or, to start a new log, move the -wal away.",
    })
  })

/** If a file of an open log was replaced, a new connection would use the shared memory of this process's others. */
const refuseReplaced = (filename: string): void => {
  const log = openFiles.find(filename)
  if (log !== undefined) rememberIdentity(filename, false, log.known)()
}

/** A connection for the statements that open a log. The file may turn out to be none. */
interface OpenFile {
  readonly filename: string
  readonly run: (sql: string) => Effect.Effect<void, StatementError>
  readonly rows: (sql: string) => Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, StatementError>
}

const connect = (filename: string, readonly: boolean): Effect.Effect<OpenFile, StatementError, Scope.Scope> =>
  Effect.acquireRelease(
    attempt(filename, () => driver().open(filename, { readonly, busyTimeoutMs: BUSY_TIMEOUT_MS })),
    (connection) => Effect.sync(() => connection.close()),
  ).pipe(
    Effect.map((connection: Connection) => ({
      filename,
      run: (sql) => attempt(filename, () => connection.script(sql)),
      rows: (sql) => attempt(filename, () => connection.prepare(sql).rows([])),
    })),
  )

const OLD_FORMAT = `format 1; to upgrade it to format ${FORMAT_VERSION}, run \`hindcast log upgrade\` or open it for writing`

/** Fails for any file but an empty one and a log of this or the previous format. */
const checkFormat = ({ filename, rows }: OpenFile) =>
  Effect.gen(function* () {
    const refuse = (found: string) => new LogFormatUnsupported({ log: filename, found })
    const [found] = yield* rows(
      `SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
       FROM pragma_application_id, pragma_user_version`,
    ).pipe(
      Effect.catchTag(
        "LogCorrupt",
        (error): Effect.Effect<never, LogCorrupt | LogFormatUnsupported> =>
          hasLogApplicationId(filename) ? error : refuse(`a file that SQLite cannot read (${error.reason})`),
      ),
    )
    const [owner, format, tables] = found ?? [0, 0, 0]
    if (owner === 0 && tables === 0) return "empty" as const
    if (owner !== APPLICATION_ID) return yield* refuse("an SQLite database of another program")
    if (format === 1) return "old log" as const
    if (format !== FORMAT_VERSION) {
      return yield* refuse(`format ${format}, where this version knows format ${FORMAT_VERSION}; update Hindcast`)
    }
    return "log" as const
  })

/** Refuses a log before the first query if one of its tables is not the one that Hindcast creates. */
const refuseUnreadable = ({ filename, rows }: OpenFile) =>
  Effect.gen(function* () {
    const found = yield* rows("SELECT type, name, sql FROM sqlite_schema")
    const reason = unreadable(
      found.map(([type, name, sql]) => ({
        type: String(type),
        name: String(name),
        sql: sql === null ? null : String(sql),
      })),
    )
    if (reason === undefined) return
    return yield* new LogCorrupt({ log: filename, position: null, reason: `${reason}. Nothing of it is read` })
  })

/** If two processes create the same file at once, the second finds the tables. */
const makeTables = (file: OpenFile) =>
  Effect.gen(function* () {
    if ((yield* checkFormat(file)) !== "empty") return
    for (const statement of LOG_TABLES) yield* file.run(statement)
    yield* file.run(`PRAGMA application_id = ${APPLICATION_ID}`)
    yield* file.run(`PRAGMA user_version = ${FORMAT_VERSION}`)
  })

const upgradeTables = (file: OpenFile) =>
  Effect.gen(function* () {
    if ((yield* checkFormat(file)) !== "old log") return
    for (const statement of FROM_FORMAT_1) yield* file.run(statement)
  })

/** Begins by taking the write lock: two transactions that read first would block each other. */
const transaction = <A, E, R>({ run }: OpenFile, body: Effect.Effect<A, E, R>) =>
  Effect.zipRight(run("BEGIN IMMEDIATE"), body).pipe(
    Effect.zipLeft(run("COMMIT")),
    Effect.tapError(() => Effect.ignore(run("ROLLBACK"))),
  )
