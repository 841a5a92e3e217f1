/**
 * The interface of an SQLite driver: connections, prepared statements, and errors with SQLite's codes. `nodeSqlite` and
 * `betterSqlite3` implement it with the same behaviour; `choice` picks one.
 */

import type { OnPages } from "../../maintenance/Backup.ts"

export interface Driver {
  readonly name: DriverName
  /**
   * Opens a file and, unless `readonly`, creates it if missing. Reads no content before the first statement. `filename`
   * is a path, never a URI; only `:memory:` is special.
   */
  readonly open: (filename: string, options: ConnectionOptions) => Connection
}

/** A database in memory, which ends with its connection. */
export const IN_MEMORY = ":memory:"

export const DRIVER_NAMES = ["node:sqlite", "better-sqlite3"] as const

export type DriverName = (typeof DRIVER_NAMES)[number]

export interface ConnectionOptions {
  readonly readonly: boolean
  /** How long a statement waits for another process's lock, in milliseconds. */
  readonly busyTimeoutMs: number
}

export const BACKUP_PAGES = 500

/** A connection. All methods but `backup` are synchronous and throw `SqliteError` for SQLite's errors. */
export interface Connection {
  /** Prepares a statement, or returns it from a cache by its text. */
  readonly prepare: (sql: string) => Prepared
  /** Runs several statements and discards results. */
  readonly script: (sql: string) => void
  readonly inTransaction: () => boolean
  /** Copies the database to an empty file by SQLite's own backup, in steps, so that other work continues. */
  readonly backup: (file: string, onPages: OnPages) => Promise<void>
  readonly close: () => void
}

/**
 * A prepared statement. Parameters are numbers, texts, bytes (`Uint8Array`) or null. Integers come back as numbers,
 * rounded beyond 2^53; blobs as `Uint8Array`. On older versions of Node, a text ends at its first NUL. Hindcast stores
 * no text with a NUL; code that checks foreign texts also reads `octet_length` or the bytes.
 */
export interface Prepared {
  /** Names of result columns; empty for a statement without result rows. */
  readonly columns: () => ReadonlyArray<string>
  /** Each row is an array of columns. */
  readonly rows: (parameters: ReadonlyArray<unknown>) => ReadonlyArray<ReadonlyArray<unknown>>
  /**
   * Runs the statement and returns how many rows it inserted, changed or deleted itself, not through triggers. 0 for
   * other statements, and for those with result rows.
   */
  readonly run: (parameters: ReadonlyArray<unknown>) => number
}

export class SqliteError extends Error {
  override readonly name = "SqliteError"
  /** Name of the extended result code, such as `SQLITE_BUSY_SNAPSHOT` (https://sqlite.org/rescode.html). */
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** No driver is usable. The message is one sentence with the remedy. */
export class DriverUnavailable extends Error {
  override readonly name = "DriverUnavailable"
}

/**
 * Settings of every connection, however its driver was compiled. A foreign file's schema may not call unsafe functions
 * (https://sqlite.org/pragma.html#pragma_trusted_schema), and temporary tables stay in memory.
 */
export const SETTINGS = "PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY"

const MAX_STATEMENTS = 200

export const cachingStatements = (prepare: (sql: string) => Prepared): ((sql: string) => Prepared) => {
  const statements = new Map<string, Prepared>()
  return (sql) => {
    const known = statements.get(sql)
    if (known !== undefined) return known
    if (statements.size >= MAX_STATEMENTS) statements.clear()
    const statement = prepare(sql)
    statements.set(sql, statement)
    return statement
  }
}
