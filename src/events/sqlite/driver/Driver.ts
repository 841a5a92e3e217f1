/**
 * What Hindcast needs of an SQLite driver: connections, prepared statements, and failures that bear SQLite's own names. There are
 * two: Node's own (`nodeSqlite`) and better-sqlite3 (`betterSqlite3`); `choice` says which one a Node gets. Whatever is written
 * above this interface behaves the same on both.
 */
export interface Driver {
  readonly name: DriverName
  /**
   * Opens a file. One that is not there is made, unless `readonly`. The file's content is looked at only by the first statement.
   * A name is a path and nothing else, but for `:memory:`.
   */
  readonly open: (filename: string, options: ConnectionOptions) => Connection
}

/** The name of a database that is in memory, and gone with its connection. */
export const IN_MEMORY = ":memory:"

/** The drivers by the names under which they are imported. */
export const DRIVER_NAMES = ["node:sqlite", "better-sqlite3"] as const

export type DriverName = (typeof DRIVER_NAMES)[number]

export interface ConnectionOptions {
  readonly readonly: boolean
  /** How long a statement waits for another process that holds the file, in milliseconds. */
  readonly busyTimeoutMs: number
}

/** One connection. All of it runs at once, and throws `SqliteError` where SQLite reports a failure. */
export interface Connection {
  /** The statement for a text. It is kept, so that to prepare the same text again costs a look-up. */
  readonly prepare: (sql: string) => Prepared
  /** Runs statements one after the other, whatever they answer. */
  readonly script: (sql: string) => void
  readonly inTransaction: () => boolean
  readonly close: () => void
}

/**
 * A prepared statement. Parameters are numbers, texts, bytes (`Uint8Array`) or null. Integers are answered as numbers, beyond 2^53
 * the nearest one; blobs as `Uint8Array`. A text may end at its first NUL, where an older Node reads it: no text that Hindcast
 * stores has one, and whoever looks for what others stored asks for `octet_length` or the bytes too.
 */
export interface Prepared {
  /** The names of the columns that it answers with; none where it answers with no rows. */
  readonly columns: () => ReadonlyArray<string>
  /** Each row is an array of its columns. */
  readonly rows: (parameters: ReadonlyArray<unknown>) => ReadonlyArray<ReadonlyArray<unknown>>
  /**
   * Answers with how many rows it inserted, changed or deleted by itself (what its triggers did is not counted); 0 for a statement
   * of another kind, and for one that answers with rows.
   */
  readonly run: (parameters: ReadonlyArray<unknown>) => number
}

/** What SQLite reported. */
export class SqliteError extends Error {
  override readonly name = "SqliteError"
  /** The name of its extended result code, `SQLITE_BUSY_SNAPSHOT` say (https://sqlite.org/rescode.html). */
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** Thrown where no driver can be had. The message is one sentence that says what to do. */
export class DriverUnavailable extends Error {
  override readonly name = "DriverUnavailable"
}

/**
 * What is said to each connection first, whatever its driver was compiled with: the schema of a file from elsewhere may not call
 * functions that can do harm (https://sqlite.org/pragma.html#pragma_trusted_schema), and what is sorted or gathered does not go to
 * the disk.
 */
export const SETTINGS = "PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY"

/** Most prepared statements that a connection keeps. */
const MAX_STATEMENTS = 200

/** Prepares each text once. */
export const keepingStatements = (prepare: (sql: string) => Prepared): ((sql: string) => Prepared) => {
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
