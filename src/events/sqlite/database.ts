import Database from "better-sqlite3"
import { Effect, Either, type Scope } from "effect"
import { DiskFull, LogBusy, LogCorrupt, type LogError, LogUnavailable } from "../EventLog.ts"

/** How long a statement waits for another process that holds the file, in milliseconds. */
export const BUSY_TIMEOUT_MS = 5000

/** What can go wrong with any one statement. */
export type StatementError = LogError | DiskFull

/**
 * One connection to the log's file, for appending and reading: what runs for every event. Statements run at once, and
 * throw what SQLite reports; `attempt` makes that a typed error at the rim.
 */
export interface LogDatabase {
  readonly filename: string
  /** Runs a statement that returns nothing. */
  readonly run: (sql: string, parameters?: ReadonlyArray<unknown>) => void
  readonly inTransaction: () => boolean
  /** Runs a query; each row is an array of its columns. */
  readonly rows: (sql: string, parameters?: ReadonlyArray<unknown>) => ReadonlyArray<ReadonlyArray<unknown>>
}

/** Most prepared statements that a connection keeps. */
const MAX_STATEMENTS = 200

/** Opens a connection that is closed with the scope. The file exists and is a log. */
export const open = (
  filename: string,
  options: { readonly readonly: boolean },
): Effect.Effect<LogDatabase, StatementError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      attempt(filename, () => new Database(filename, { ...options, timeout: BUSY_TIMEOUT_MS })),
      (database) => Effect.sync(() => database.close()),
    ),
    (database) => {
      const statements = new Map<string, Database.Statement<Array<unknown>>>()
      const prepared = (sql: string) => {
        const known = statements.get(sql)
        if (known !== undefined) return known
        if (statements.size >= MAX_STATEMENTS) statements.clear()
        const statement = database.prepare<Array<unknown>>(sql)
        if (statement.reader) statement.raw(true)
        statements.set(sql, statement)
        return statement
      }
      return {
        filename,
        inTransaction: () => database.inTransaction,
        run: (sql, parameters = []) => {
          const statement = prepared(sql)
          // A pragma answers with rows even where nobody asked.
          if (statement.reader) statement.all(...parameters)
          else statement.run(...parameters)
        },
        rows: (sql, parameters = []) => prepared(sql).all(...parameters) as ReadonlyArray<ReadonlyArray<unknown>>,
      }
    },
  )

/** Runs something on a database and names what it throws by what the caller can do about it. */
export const attempt = <A>(log: string, run: () => A): Effect.Effect<A, StatementError> =>
  Effect.suspend(() => attemptSync(log, run))

/** The same without an effect around it. */
export const attemptSync = <A>(log: string, run: () => A): Either.Either<A, StatementError> => {
  try {
    return Either.right(run())
  } catch (cause) {
    return Either.left(statementError(log, cause))
  }
}

/** A read cannot fill a disk. */
export const attemptRead = <A>(log: string, run: () => A): Effect.Effect<A, LogError> =>
  Effect.catchTag(attempt(log, run), "DiskFull", (error) => Effect.die(error))

/** Thrown inside this folder where a row says something that no log says. */
export class DamagedRow extends Error {
  readonly position: number
  constructor(position: number, reason: string) {
    super(reason)
    this.position = position
  }
}

/** Whether the trigger that keeps positions in sequence refused a row: another writer took the position first. */
export const isOutOfSequence = (cause: unknown): boolean => sqliteCode(cause) === "SQLITE_CONSTRAINT_TRIGGER"

const sqliteCode = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string" ? cause.code : ""

/** Names what SQLite reported by what the caller can do about it. A fault of this program is thrown on. */
export const statementError = (log: string, cause: unknown): StatementError => {
  const code = sqliteCode(cause)
  const reason = cause instanceof Error ? cause.message : String(cause)
  if (cause instanceof LogUnavailable) return cause
  if (cause instanceof DamagedRow) return new LogCorrupt({ log, position: cause.position, reason })
  if (code.startsWith("SQLITE_BUSY") || code === "SQLITE_LOCKED") return new LogBusy({ log, waitedMs: BUSY_TIMEOUT_MS })
  if (code === "SQLITE_FULL") return new DiskFull({ log })
  if (code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB") {
    return new LogCorrupt({ log, position: null, reason })
  }
  if (code.startsWith("SQLITE_READONLY")) {
    return new LogUnavailable({ log, reason: `it is read-only (${reason}); make the file and its directory writable` })
  }
  if (code === "SQLITE_CANTOPEN") {
    return new LogUnavailable({ log, reason: `it cannot be opened (${reason}); check the path and its permissions` })
  }
  if (code === "") throw cause
  return new LogUnavailable({ log, reason: `${reason} (${code})` })
}
