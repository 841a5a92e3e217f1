/** The SQLite driver over `node:sqlite`, Node's own SQLite. */

import * as path from "node:path"
import {
  BACKUP_PAGES,
  type Connection,
  type ConnectionOptions,
  cachingStatements,
  type Driver,
  IN_MEMORY,
  type Prepared,
  SETTINGS,
  SqliteError,
} from "./Driver.ts"
import { nameOfCode } from "./resultCodes.ts"

/** The part of `node:sqlite` that Hindcast uses (https://nodejs.org/api/sqlite.html). */
interface NodeSqlite {
  readonly DatabaseSync: new (
    filename: string,
    options: { readonly readOnly: boolean; readonly timeout: number },
  ) => Database
  readonly StatementSync: { readonly prototype: object }
  readonly backup?: (
    database: Database,
    file: string,
    options: { readonly rate: number; readonly progress: (progress: BackupProgress) => void },
  ) => Promise<unknown>
}

interface BackupProgress {
  readonly totalPages: number
  readonly remainingPages: number
}

interface Database {
  readonly prepare: (sql: string) => Statement
  readonly exec: (sql: string) => void
  readonly isTransaction: boolean
  readonly close: () => void
}

interface Statement {
  readonly all: (...parameters: ReadonlyArray<unknown>) => ReadonlyArray<ReadonlyArray<unknown>>
  readonly run: (...parameters: ReadonlyArray<unknown>) => { readonly changes: number | bigint }
  readonly columns: () => ReadonlyArray<{ readonly name: string }>
  readonly setReturnArrays: (enabled: boolean) => void
  readonly setReadBigInts: (enabled: boolean) => void
}

/** Node's own SQLite; undefined if this Node has none, or one that cannot return rows as arrays. */
export const load = (): Driver | undefined => {
  const found = loadQuietly()
  if (!isComplete(found)) return undefined
  return { name: "node:sqlite", open: (filename, options) => open(found, filename, options) }
}

const isComplete = (found: unknown): found is NodeSqlite =>
  typeof found === "object" &&
  found !== null &&
  "DatabaseSync" in found &&
  "StatementSync" in found &&
  typeof found.StatementSync === "function" &&
  "setReturnArrays" in found.StatementSync.prototype

/**
 * Loads the module without the warning that it is experimental, which Node 22 prints to the terminal and which users of
 * a program cannot act on. Other warnings are passed on.
 */
const loadQuietly = (): unknown => {
  const { emitWarning } = process
  const emitOthers = (...warning: Parameters<typeof emitWarning>) => {
    if (!String(warning[0]).startsWith("SQLite is an experimental feature"))
      Reflect.apply(emitWarning, process, warning)
  }
  process.emitWarning = emitOthers as typeof emitWarning
  try {
    return process.getBuiltinModule?.("node:sqlite")
  } finally {
    process.emitWarning = emitWarning
  }
}

const open = (
  { DatabaseSync, backup }: NodeSqlite,
  filename: string,
  { readonly, busyTimeoutMs }: ConnectionOptions,
): Connection => {
  // `node:sqlite` would read a name with the prefix `file:` as a URI, whose parameters can disable locks. A resolved
  // path has no such prefix.
  const resolved = filename === IN_MEMORY ? filename : path.resolve(filename)
  const database = withSqliteErrors(() => new DatabaseSync(resolved, { readOnly: readonly, timeout: busyTimeoutMs }))
  const connection: Connection = {
    prepare: cachingStatements((sql) =>
      prepared(
        sql,
        withSqliteErrors(() => database.prepare(sql)),
      ),
    ),
    script: (sql) => withSqliteErrors(() => database.exec(sql)),
    inTransaction: () => database.isTransaction,
    backup: async (file, onPages) => {
      // From Node 22.16 on; before, the whole is copied in one statement, which needs a transaction of its own.
      if (backup === undefined) {
        withSqliteErrors(() => database.exec("COMMIT"))
        withSqliteErrors(() => database.prepare("VACUUM INTO ?").run(path.resolve(file)))
        return
      }
      const progress = ({ totalPages, remainingPages }: BackupProgress) =>
        onPages(totalPages - remainingPages, totalPages)
      await backup(database, path.resolve(file), { rate: BACKUP_PAGES, progress }).catch((cause) => {
        throw sqliteErrorOf(cause)
      })
    },
    close: () => database.close(),
  }
  connection.script(SETTINGS)
  return connection
}

const prepared = (sql: string, statement: Statement): Prepared => {
  statement.setReturnArrays(true)
  const hasResultRows = withSqliteErrors(() => statement.columns()).length > 0
  const changesRows = CHANGES_ROWS.test(sql)

  /**
   * Node throws if an integer is beyond 2^53. Only then the statement is run again, with bigints that are rounded to
   * numbers.
   */
  const roundedRows = (parameters: ReadonlyArray<unknown>) => {
    statement.setReadBigInts(true)
    try {
      return statement
        .all(...parameters)
        .map((row) => row.map((value) => (typeof value === "bigint" ? Number(value) : value)))
    } finally {
      statement.setReadBigInts(false)
    }
  }
  const rows = (parameters: ReadonlyArray<unknown>) =>
    withSqliteErrors(() => {
      try {
        return statement.all(...parameters)
      } catch (cause) {
        if (codeOf(cause) === "ERR_OUT_OF_RANGE" && !changesRows) return roundedRows(parameters)
        throw cause
      }
    })
  return {
    columns: () => statement.columns().map(({ name }) => name),
    rows,
    run: (parameters) => {
      if (hasResultRows) rows(parameters)
      // For other statements Node returns the count of the last statement that changed rows.
      const changes = hasResultRows ? 0 : Number(withSqliteErrors(() => statement.run(...parameters)).changes)
      return changesRows ? changes : 0
    },
  }
}

const CHANGES_ROWS = /^\s*(?:INSERT|REPLACE|UPDATE|DELETE|WITH)\b/i

/** Turns errors of the driver into `SqliteError`. */
const withSqliteErrors = <A>(run: () => A): A => {
  try {
    return run()
  } catch (cause) {
    throw sqliteErrorOf(cause)
  }
}

const sqliteErrorOf = (cause: unknown): unknown => {
  if (!(cause instanceof Error)) return cause
  if (codeOf(cause) === "ERR_SQLITE_ERROR" && "errcode" in cause) {
    return new SqliteError(nameOfCode(Number(cause.errcode)), cause.message)
  }
  // A defect of this program (a closed connection, an invalid parameter), not of the file.
  return codeOf(cause).startsWith("ERR_INVALID_") ? new TypeError(cause.message, { cause }) : cause
}

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : ""
