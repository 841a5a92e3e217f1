/** A read-only client of `@effect/sql` for a log's file. Only `EventLog.sql` loads it. */

import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlConnection from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as Statement from "@effect/sql/Statement"
import { Effect, type Scope, Stream } from "effect"
import * as Installed from "../../../platform/packages/Installed.ts"
import { driver } from "../driver/choice.ts"
import { type Connection, type Driver, SETTINGS } from "../driver/Driver.ts"
import { BUSY_TIMEOUT_MS } from "./database.ts"

/**
 * Opens a client that closes with the scope. If this process reads logs by the better-sqlite3 of
 * `@effect/sql-sqlite-node`, it is that package's client. With `node:sqlite`, and in a bundled program, it is the same
 * client over Hindcast's driver: two SQLite libraries in one process would drop each other's locks
 * (https://sqlite.org/howtocorrupt.html, §2.2.1). Dies with the driver's error if the file cannot be opened.
 */
export const open = (filename: string): Effect.Effect<SqlClient.SqlClient, SqlError, Scope.Scope> =>
  Effect.suspend(() => {
    const used = driver()
    return used.name === "better-sqlite3" && isSharedDriver() ? ofEffect(filename) : ofDriver(used, filename)
  }).pipe(
    Effect.provide(Reactivity.layer),
    Effect.tap((sql) => Effect.forEach(PRAGMAS, (pragma) => sql.unsafe(pragma))),
  )

/** The driver's settings, one by one, since a client runs single statements. */
const PRAGMAS = [...SETTINGS.split("; "), `PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`]

/** True if `@effect/sql-sqlite-node` is installed and resolves to the same better-sqlite3. */
const isSharedDriver = (): boolean => {
  const found = IS_INSTALLED ? Installed.resolve(`${EFFECT_PACKAGE}/package.json`, import.meta.url) : undefined
  return (
    found !== undefined &&
    Installed.resolve("better-sqlite3", found) === Installed.resolve("better-sqlite3", import.meta.url)
  )
}

/**
 * False in a bundle, so that the driver resolves the installed package: a bundled better-sqlite3 does not find its
 * addon, and its loader (`bindings`) breaks the stack traces of later errors.
 */
const IS_INSTALLED = Installed.isInstalled(import.meta.url, "events/sqlite/file/client")

/** Hidden from bundlers: the optional package may be missing at build time, and a bundled program does not use it. */
const EFFECT_PACKAGE = ["@effect", "sql-sqlite-node"].join("/")

const ofEffect = (filename: string) =>
  Effect.flatMap(
    Effect.promise(
      async (): Promise<typeof import("@effect/sql-sqlite-node/SqliteClient")> =>
        import(`${EFFECT_PACKAGE}/SqliteClient`),
    ),
    ({ make }) => make({ filename, readonly: true, disableWAL: true }),
  )

const ofDriver = (used: Driver, filename: string) =>
  Effect.gen(function* () {
    const database = yield* Effect.acquireRelease(
      Effect.sync(() => used.open(filename, { readonly: true, busyTimeoutMs: BUSY_TIMEOUT_MS })),
      (database) => Effect.sync(() => database.close()),
    )
    const connection = connectionOf(database)
    const permit = yield* Effect.makeSemaphore(1)
    return yield* SqlClient.make({
      acquirer: permit.withPermits(1)(Effect.succeed(connection)),
      transactionAcquirer: Effect.acquireRelease(Effect.as(permit.take(1), connection), () => permit.release(1)),
      compiler: Statement.makeCompilerSqlite(),
      spanAttributes: [["db.system.name", "sqlite"]],
    })
  })

const connectionOf = (database: Connection): SqlConnection.Connection => {
  const attempt = <A>(run: () => A) =>
    Effect.try({ try: run, catch: (cause) => new SqlError({ cause, message: "Failed to execute statement" }) })

  const values = (sql: string, parameters: ReadonlyArray<unknown>) =>
    attempt(() => database.prepare(sql).rows(parameters))

  const execute: SqlConnection.Connection["execute"] = (sql, parameters, transformRows) =>
    attempt(() => {
      const statement = database.prepare(sql)
      const columns = statement.columns()
      const rows = statement
        .rows(parameters)
        .map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]])))
      return transformRows === undefined ? rows : transformRows(rows)
    })

  return {
    execute,
    executeUnprepared: execute,
    executeRaw: (sql, parameters) => execute(sql, parameters, undefined),
    executeValues: values,
    executeStream: () => Stream.dieMessage("`.stream` does not exist for SQLite: run the statement as a whole"),
  }
}
