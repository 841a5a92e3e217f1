/** The driver over `node:sqlite`. */

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

/** https://nodejs.org/api/sqlite.html */
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

/** Undefined if this version of Node has no SQLite, or one that cannot return rows as arrays. */
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

/** Suppresses the warning that Node 22 prints about an experimental feature: users cannot act on it. */
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
  // `node:sqlite` reads a name with the prefix `file:` as a URI, whose parameters can disable locks. A resolved path
  // has no such prefix.
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
      // Before Node 22.16 there is no `backup`. `VACUUM INTO` copies everything in one statement and needs its own
      // transaction.
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

  /** Node throws for integers beyond 2^53. Run the statement again with bigints, and round them. */
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
      // For other statements, Node returns the count of the last statement that changed rows.
      const changes = hasResultRows ? 0 : Number(withSqliteErrors(() => statement.run(...parameters)).changes)
      return changesRows ? changes : 0
    },
  }
}

const CHANGES_ROWS = /^\s*(?:INSERT|REPLACE|UPDATE|DELETE|WITH)\b/i

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
  // A defect of the program (a closed connection, an invalid parameter), not of the file.
  return codeOf(cause).startsWith("ERR_INVALID_") ? new TypeError(cause.message, { cause }) : cause
}

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : ""
