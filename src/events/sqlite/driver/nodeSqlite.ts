import * as path from "node:path"
import {
  type Connection,
  type ConnectionOptions,
  type Driver,
  IN_MEMORY,
  keepingStatements,
  type Prepared,
  SETTINGS,
  SqliteError,
} from "./Driver.ts"
import { nameOfCode } from "./resultCodes.ts"

/** What is used of `node:sqlite` (https://nodejs.org/api/sqlite.html). */
interface NodeSqlite {
  readonly DatabaseSync: new (
    filename: string,
    options: { readonly readOnly: boolean; readonly timeout: number },
  ) => Database
  readonly StatementSync: { readonly prototype: object }
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

/** Node's own SQLite; undefined where this Node has none, or one that cannot answer with rows as arrays. */
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
 * Node 22 warns on the terminal whoever loads the module that it is experimental, which the users of a program that works on it
 * cannot do anything about. Of all warnings, this one is left out.
 */
const loadQuietly = (): unknown => {
  const { emitWarning } = process
  const emitOthers = (...said: Parameters<typeof emitWarning>) => {
    if (!String(said[0]).startsWith("SQLite is an experimental feature")) Reflect.apply(emitWarning, process, said)
  }
  process.emitWarning = emitOthers as typeof emitWarning
  try {
    return process.getBuiltinModule?.("node:sqlite")
  } finally {
    process.emitWarning = emitWarning
  }
}

const open = (
  { DatabaseSync }: NodeSqlite,
  filename: string,
  { readonly, busyTimeoutMs }: ConnectionOptions,
): Connection => {
  // What begins with `file:` would be taken for a URI, whose parameters can turn off locks; a path does not begin so.
  const place = filename === IN_MEMORY ? filename : path.resolve(filename)
  const database = named(() => new DatabaseSync(place, { readOnly: readonly, timeout: busyTimeoutMs }))
  const connection: Connection = {
    prepare: keepingStatements((sql) =>
      prepared(
        sql,
        named(() => database.prepare(sql)),
      ),
    ),
    script: (sql) => named(() => database.exec(sql)),
    inTransaction: () => database.isTransaction,
    close: () => database.close(),
  }
  connection.script(SETTINGS)
  return connection
}

const prepared = (sql: string, statement: Statement): Prepared => {
  statement.setReturnArrays(true)
  const answersWithRows = named(() => statement.columns()).length > 0
  const changesRows = CHANGES_ROWS.test(sql)

  /** A number that is too large to be exact is an error to Node; only that row's reading is repeated, exactly and slower. */
  const inexactRows = (parameters: ReadonlyArray<unknown>) => {
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
    named(() => {
      try {
        return statement.all(...parameters)
      } catch (cause) {
        if (codeOf(cause) === "ERR_OUT_OF_RANGE" && !changesRows) return inexactRows(parameters)
        throw cause
      }
    })
  return {
    columns: () => statement.columns().map(({ name }) => name),
    rows,
    run: (parameters) => {
      if (answersWithRows) rows(parameters)
      // What Node answers for a statement of another kind is the count of the last one that changed rows.
      const changes = answersWithRows ? 0 : Number(named(() => statement.run(...parameters)).changes)
      return changesRows ? changes : 0
    },
  }
}

const CHANGES_ROWS = /^\s*(?:INSERT|REPLACE|UPDATE|DELETE|WITH)\b/i

/** Throws what SQLite reported under its own name. */
const named = <A>(run: () => A): A => {
  try {
    return run()
  } catch (cause) {
    throw failure(cause)
  }
}

const failure = (cause: unknown): unknown => {
  if (!(cause instanceof Error)) return cause
  if (codeOf(cause) === "ERR_SQLITE_ERROR" && "errcode" in cause) {
    return new SqliteError(nameOfCode(Number(cause.errcode)), cause.message)
  }
  // A fault of this program (a closed connection, a value that is no parameter), and not of the file.
  return codeOf(cause).startsWith("ERR_INVALID_") ? new TypeError(cause.message, { cause }) : cause
}

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : ""
