/** Opens the SQLite file of a content store, next to its log. */

import * as fs from "node:fs"
import { Data, Effect } from "effect"
import * as choice from "../../events/sqlite/driver/choice.ts"
import type { Connection } from "../../events/sqlite/driver/Driver.ts"
import { targetOf } from "../../events/sqlite/file/fileIdentity.ts"
import * as NewFile from "../../events/sqlite/file/newFile.ts"
import { APPLICATION_ID, PURGES, TABLES, VERSION } from "./StoreSchema.ts"

/** The file of recorded contents, next to the log, cannot be opened, read or written. `file` is its path. */
export class StoreUnavailable extends Data.TaggedError("StoreUnavailable")<{
  readonly file: string
  readonly reason: string
}> {
  override get message() {
    return `${this.file}: the recorded files' contents cannot be used: ${this.reason}`
  }
}

/** Runs work that throws `StoreUnavailable`. */
export const reading = <A>(work: () => A): Effect.Effect<A, StoreUnavailable> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(work())
    } catch (cause) {
      if (cause instanceof StoreUnavailable) return cause
      throw cause
    }
  })

/** The store's file next to a log. A link to the log leads to the same file. */
export const fileOf = (log: string): string => `${targetOf(log)}.files`

/** Runs work on a store's file, and turns its errors into `StoreUnavailable`. */
export const guarded = <A>(file: string, work: () => A): A => {
  try {
    return work()
  } catch (cause) {
    if (cause instanceof StoreUnavailable) throw cause
    throw new StoreUnavailable({ file, reason: cause instanceof Error ? cause.message : String(cause) })
  }
}

/** Opens a store, and creates it if it is missing. Throws `StoreUnavailable`. */
export const open = (file: string): Connection =>
  guarded(file, () => {
    NewFile.make(file)
    const database = choice.driver().open(file, { readonly: false, busyTimeoutMs: BUSY_MS })
    return prepared(file, database, () => {
      database.script(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
        PRAGMA secure_delete = ON`)
      // A store of an earlier build lacks these tables.
      if (!isEmpty(database)) return database.script(PURGES)
      database.script(`BEGIN IMMEDIATE; ${TABLES}
        PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${VERSION}; COMMIT`)
    })
  })

/** Opens a store for queries; undefined if there is none. Throws `StoreUnavailable`. */
export const openReadOnly = (file: string): Connection | undefined => {
  if (!fs.existsSync(file)) return undefined
  return guarded(file, () =>
    prepared(file, choice.driver().open(file, { readonly: true, busyTimeoutMs: BUSY_MS }), () => {}),
  )
}

/** Checks that the file is a store, before `prepare`. If not, closes the connection. */
const prepared = (file: string, database: Connection, prepare: () => void): Connection => {
  try {
    const scalar = (sql: string) => database.prepare(sql).rows([])[0]?.[0]
    const isStore = () =>
      scalar("PRAGMA application_id") === APPLICATION_ID && scalar("PRAGMA user_version") === VERSION
    if (!isEmpty(database) && !isStore())
      throw new StoreUnavailable({ file, reason: "it is another file, or one of another version. Move it away" })
    prepare()
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}

const isEmpty = (database: Connection): boolean =>
  database.prepare("SELECT count(*) FROM sqlite_master").rows([])[0]?.[0] === 0

/** Small, like most contents: the rest of a content's last page is wasted. */
const PAGE_BYTES = 1024

/** How long to wait for another process's transaction. */
const BUSY_MS = 10_000
