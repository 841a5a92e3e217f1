/** SQLite files that are indexes of a log, and so can be built again: opening them, and their errors. */

import * as fs from "node:fs"
import * as choice from "../events/sqlite/driver/choice.ts"
import { type Connection, IN_MEMORY, SqliteError } from "../events/sqlite/driver/Driver.ts"
import * as OwnerOnly from "../platform/OwnerOnly.ts"
import * as UserStore from "../platform/user/UserStore.ts"

/** An event that both the log and its index have. */
export interface Reached {
  /** 0 before the first event. */
  readonly position: number
  /** The event's hash; empty at 0. */
  readonly hash: string
}

/** A kind of index. */
export interface IndexKind {
  /** Four letters in ASCII, as a number. */
  readonly applicationId: number
  /** Raise it when the content changes: older files are then built again. */
  readonly version: number
  /** Creates the tables of the kind. The table `reached` exists already. */
  readonly tables: string
}

const REACHED = `
  CREATE TABLE IF NOT EXISTS reached (one INTEGER PRIMARY KEY CHECK (one = 1), position INTEGER, hash TEXT, log TEXT);
  INSERT OR IGNORE INTO reached VALUES (1, 0, '', '');
`

const BUSY_MS = 2_000

/**
 * Opens or creates an index. Throws `SqliteError` if the file is damaged, or is the index of another log, kind or
 * version, and an `Error` if somebody else could exchange it.
 *
 * @param log names the log that the index belongs to
 */
export const open = (file: string, { applicationId, version, tables }: IndexKind, log: string): Connection => {
  if (file !== IN_MEMORY) {
    OwnerOnly.makeFile(file)
    assertSafe(file)
  }
  const database = choice.driver().open(file, { readonly: false, busyTimeoutMs: BUSY_MS })
  try {
    // An index that a power failure damages is built again.
    database.script("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON")
    const scalar = (sql: string) => database.prepare(sql).rows([])[0]?.[0]
    database.script("BEGIN IMMEDIATE")
    if (scalar("SELECT count(*) FROM sqlite_schema") === 0) {
      database.script(`${REACHED} ${tables}
        PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`)
      database.prepare("UPDATE reached SET log = ?").run([log])
    }
    const [foundId, foundVersion] = [scalar("PRAGMA application_id"), scalar("PRAGMA user_version")]
    const isKind = foundId === applicationId && foundVersion === version
    const found = isKind ? scalar("SELECT log FROM reached") : undefined
    database.script("COMMIT")
    if (found !== log) throw new SqliteError("SQLITE_MISMATCH", "it is the index of another log or version")
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}

/** Throws if somebody else could exchange the file. */
const assertSafe = (file: string): void => {
  const handle = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0))
  try {
    const defect = UserStore.defectOf(handle)
    if (defect !== undefined) throw new Error(`${file}, which is ${defect}. Expected a file of your own: remove it`)
  } finally {
    fs.closeSync(handle)
  }
}

/** Removes the file of an index, and SQLite's files next to it. */
export const remove = (file: string): void => {
  for (const suffix of ["", "-wal", "-shm"]) fs.rmSync(file + suffix, { force: true })
}

/** The last event in an index. */
export const reachedIn = (database: Connection): Reached => {
  const [row] = database.prepare("SELECT position, hash FROM reached").rows([])
  return { position: Number(row?.[0] ?? 0), hash: String(row?.[1] ?? "") }
}

/**
 * Adds to an index in one transaction what it lacks between `after` and `reached`. Returns false, and adds nothing, if
 * another process has extended the index in the meantime.
 */
export const extend = (database: Connection, after: number, { position, hash }: Reached, add: () => void): boolean =>
  transaction(database, () => {
    const isNext = reachedIn(database).position === after
    if (isNext) {
      add()
      database.prepare("UPDATE reached SET position = ?, hash = ?").run([position, hash])
    }
    return isNext
  })

/** Runs changes of an index in one transaction. */
export const transaction = <A>(database: Connection, run: () => A): A => {
  database.prepare("BEGIN IMMEDIATE").run([])
  try {
    const result = run()
    database.prepare("COMMIT").run([])
    return result
  } catch (cause) {
    if (database.inTransaction()) database.prepare("ROLLBACK").run([])
    throw cause
  }
}

/** Whether SQLite found the file damaged, or not an index. Other errors, such as a full disk, leave the file alone. */
export const isDamaged = (cause: unknown): boolean =>
  cause instanceof SqliteError && /^SQLITE_(?:CORRUPT|NOTADB|ERROR|MISMATCH|CONSTRAINT|SCHEMA)/.test(cause.code)

/** Whether another process holds the file's lock. */
export const isBusy = (cause: unknown): boolean => cause instanceof SqliteError && cause.code.startsWith("SQLITE_BUSY")

/** Whether the same use may succeed later: a full disk, or a failure of it. */
export const isPassing = (cause: unknown): boolean =>
  cause instanceof Error &&
  "code" in cause &&
  /^(?:SQLITE_FULL|SQLITE_IOERR|ENOSPC|EMFILE|ENFILE)/.test(String(cause.code))
