/** A read-only client of `@effect/sql` for a log's file, on either driver. Loaded by `EventLog.sql` alone. */

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
 * Opens a client, which is closed with the scope. It is that of `@effect/sql-sqlite-node` where this process reads logs by the same
 * better-sqlite3. With `node:sqlite`, and in a program that Hindcast was bundled into, it is the same client over Hindcast's driver:
 * two libraries of SQLite in a process would drop each other's locks (https://sqlite.org/howtocorrupt.html, §2.2.1). If the file
 * cannot be opened, it dies with the driver's error.
 */
export const open = (filename: string): Effect.Effect<SqlClient.SqlClient, SqlError, Scope.Scope> =>
  Effect.suspend(() => {
    const used = driver()
    return used.name === "better-sqlite3" && isSharedDriver() ? ofEffect(filename) : ofDriver(used, filename)
  }).pipe(
    Effect.provide(Reactivity.layer),
    Effect.tap((sql) => Effect.forEach(PRAGMAS, (pragma) => sql.unsafe(pragma))),
  )

/** The driver's own settings, one at a time, as a client runs statements. */
const PRAGMAS = [...SETTINGS.split("; "), `PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`]

/** Whether `@effect/sql-sqlite-node` is installed, and finds the better-sqlite3 that Hindcast uses. */
const isSharedDriver = (): boolean => {
  const found = IS_INSTALLED ? Installed.resolve(`${EFFECT_PACKAGE}/package.json`, import.meta.url) : undefined
  return (
    found !== undefined &&
    Installed.resolve("better-sqlite3", found) === Installed.resolve("better-sqlite3", import.meta.url)
  )
}

/**
 * Whether this module runs unbundled. A bundled better-sqlite3 does not find its addon, and its loader (`bindings`) breaks
 * the stack trace of every later error, since it leaves its `Error.prepareStackTrace` behind. The driver resolves the
 * installed better-sqlite3 instead.
 */
const IS_INSTALLED = Installed.isInstalled(import.meta.url, "events/sqlite/file/client")

/**
 * A name that no bundler resolves. The package is optional, so it may be missing where a program is bundled, and a bundled
 * program does not use it.
 */
const EFFECT_PACKAGE = ["@effect", "sql-sqlite-node"].join("/")

const ofEffect = (filename: string) =>
  Effect.flatMap(
    Effect.promise(
      async (): Promise<typeof import("@effect/sql-sqlite-node/SqliteClient")> =>
        import(`${EFFECT_PACKAGE}/SqliteClient`),
    ),
    ({ make }) => make({ filename, readonly: true, disableWAL: true }),
  )

/** A client over a connection of the driver. */
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
    executeStream: () =>
      Stream.dieMessage("expected a statement that is run as a whole, found `.stream`, which no client of SQLite has"),
  }
}
