import * as fs from "node:fs"
import { Effect, type Scope } from "effect"
import * as AtomicFile from "../../../platform/AtomicFile.ts"
import { LogBusy } from "../../log/EventLog.ts"
import * as Database from "./database.ts"
import * as Control from "./openDatabase.ts"

/** The file, and what SQLite takes for a part of it where it lies beside it. */
const PARTS = ["", "-wal", "-journal"]

/** What stands already where a log is to be made; undefined where nothing does. */
export const exists = (file: string): string | undefined =>
  PARTS.map((suffix) => file + suffix).find((part) => fs.existsSync(part))

/**
 * Makes a log beside where it is to be, as one file, and gives it its name once all of it was written: so it is whole or not
 * there. What came there meanwhile is not replaced. What killed processes left on their way to it is removed.
 */
export const createAtomically = <A, E, R>(
  file: string,
  write: (database: Database.LogDatabase) => Effect.Effect<A, E, R | Scope.Scope>,
) => {
  const partial = AtomicFile.nameFor(file)
  return Effect.scoped(
    Effect.gen(function* () {
      AtomicFile.removeAbandonedFile(file)
      yield* Control.open(partial)
      const database = yield* Database.open(partial, { readonly: false })
      const answer = yield* write(database)
      yield* writeBack(database)
      return answer
    }),
  ).pipe(
    Effect.zipLeft(Database.attempt(file, () => AtomicFile.moveNew(partial, file))),
    // What stands in the way of removing it stood in the way of making it, and was said then.
    Effect.ensuring(Effect.ignore(Effect.try(() => removeAll(partial)))),
  )
}

/** Brings all of a log into its one file. Closing it would do so too, but not while anyone looks into it, and would say nothing. */
const writeBack = (database: Database.LogDatabase) =>
  Database.attempt(database.filename, () => database.rows("PRAGMA wal_checkpoint(TRUNCATE)")).pipe(
    Effect.filterOrFail(
      ([row]) => row?.[0] === 0,
      () => new LogBusy({ log: database.filename, waitedMs: Database.BUSY_TIMEOUT_MS }),
    ),
  )

const removeAll = (file: string): void => {
  for (const part of [...PARTS, "-shm"]) fs.rmSync(file + part, { force: true })
}
