/** A client of `@effect/sql` for a log's file, on either driver, for SQL that does not run for every event. */

import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlConnection from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as Statement from "@effect/sql/Statement"
import { Effect, type Scope, Stream } from "effect"
import * as Installed from "../../../platform/packages/Installed.ts"
import { driver } from "../driver/choice.ts"
import type { Connection, Driver } from "../driver/Driver.ts"
import { BUSY_TIMEOUT_MS } from "./database.ts"

/**
 * Opens a client, which is closed with the scope. With better-sqlite3 it is the client of `@effect/sql-sqlite-node`,
 * which needs better-sqlite3. With `node:sqlite`, and in a program that Hindcast was bundled into, it is the same client
 * over the driver; `@effect/sql-sqlite-node` is then neither loaded nor required. If the file cannot be opened, it dies
 * with the driver's error.
 */
export const open = (
  filename: string,
  options: { readonly readonly: boolean },
): Effect.Effect<SqlClient.SqlClient, SqlError, Scope.Scope> =>
  Effect.suspend(() => {
    const used = driver()
    return used.name === "better-sqlite3" && IS_INSTALLED
      ? ofEffect(filename, options)
      : ofDriver(used, filename, options)
  }).pipe(
    Effect.provide(Reactivity.layer),
    Effect.tap((sql) => sql.unsafe(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)),
  )

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
const EFFECT_CLIENT = ["@effect/sql-sqlite-node", "SqliteClient"].join("/")

const ofEffect = (filename: string, { readonly }: { readonly readonly: boolean }) =>
  Effect.flatMap(
    Effect.promise(async (): Promise<typeof import("@effect/sql-sqlite-node/SqliteClient")> => import(EFFECT_CLIENT)),
    ({ make }) => make({ filename, readonly, disableWAL: true }),
  )

/** A client over a connection of the driver. */
const ofDriver = (used: Driver, filename: string, { readonly }: { readonly readonly: boolean }) =>
  Effect.gen(function* () {
    const database = yield* Effect.acquireRelease(
      Effect.sync(() => used.open(filename, { readonly, busyTimeoutMs: BUSY_TIMEOUT_MS })),
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
    executeStream: () => Stream.dieMessage("a log's client reads no streams"),
  }
}
