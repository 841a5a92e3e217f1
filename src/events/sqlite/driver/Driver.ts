/**
 * The interface of an SQLite driver: connections, prepared statements, and errors with SQLite's own codes. Two drivers
 * implement it, Node's own (`nodeSqlite`) and better-sqlite3 (`betterSqlite3`); `choice` picks one. Code above this
 * interface behaves the same on both.
 */

import type { OnPages } from "../../maintenance/Backup.ts"

/** An SQLite driver. */
export interface Driver {
  readonly name: DriverName
  /**
   * Opens a file and creates it if it is missing, unless `readonly`. The file's content is not read before the first
   * statement. `filename` is a path, never a URI; `:memory:` is the only special name.
   */
  readonly open: (filename: string, options: ConnectionOptions) => Connection
}

/** The name of a database in memory, which ends with its connection. */
export const IN_MEMORY = ":memory:"

/** The drivers, by the names of their modules. */
export const DRIVER_NAMES = ["node:sqlite", "better-sqlite3"] as const

export type DriverName = (typeof DRIVER_NAMES)[number]

export interface ConnectionOptions {
  readonly readonly: boolean
  /** How long a statement waits for another process that locks the file, in milliseconds. */
  readonly busyTimeoutMs: number
}

/** How many pages a step of a backup copies. */
export const BACKUP_PAGES = 500

/** A connection. All methods but `backup` are synchronous, and throw `SqliteError` if SQLite reports an error. */
export interface Connection {
  /** The prepared statement for a text. It is cached, so that preparing the same text again costs a look-up. */
  readonly prepare: (sql: string) => Prepared
  /** Runs several statements, and discards their results. */
  readonly script: (sql: string) => void
  readonly inTransaction: () => boolean
  /** Copies the database to an empty file by SQLite's own backup, step by step, so that other work goes on. */
  readonly backup: (file: string, onPages: OnPages) => Promise<void>
  readonly close: () => void
}

/**
 * A prepared statement. Parameters are numbers, texts, bytes (`Uint8Array`) or null. Integers are returned as numbers,
 * beyond 2^53 as the nearest one; blobs as `Uint8Array`. On older Nodes a text ends at its first NUL. Hindcast stores
 * no text with a NUL; code that checks texts of other programs also reads `octet_length` or the bytes.
 */
export interface Prepared {
  /** The names of the result columns; empty for a statement without result rows. */
  readonly columns: () => ReadonlyArray<string>
  /** Runs the statement. Each row is an array of its columns. */
  readonly rows: (parameters: ReadonlyArray<unknown>) => ReadonlyArray<ReadonlyArray<unknown>>
  /**
   * Runs the statement, and returns the number of rows that it inserted, changed or deleted itself, without those of
   * its triggers. 0 for other statements, and for statements with result rows.
   */
  readonly run: (parameters: ReadonlyArray<unknown>) => number
}

/** An error that SQLite reported. */
export class SqliteError extends Error {
  override readonly name = "SqliteError"
  /** The name of its extended result code, such as `SQLITE_BUSY_SNAPSHOT` (https://sqlite.org/rescode.html). */
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** Thrown if no driver can be used. The message is one sentence that says what to do. */
export class DriverUnavailable extends Error {
  override readonly name = "DriverUnavailable"
}

/**
 * Settings for every connection, independent of how its driver was compiled. The schema of a foreign file may not call
 * unsafe functions (https://sqlite.org/pragma.html#pragma_trusted_schema), and temporary tables stay in memory.
 */
export const SETTINGS = "PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY"

/** Most prepared statements that a connection caches. */
const MAX_STATEMENTS = 200

/** Caches prepared statements by their text. */
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
