/** Creates a log's file atomically. */

import * as fs from "node:fs"
import { Effect, type Scope } from "effect"
import * as AtomicFile from "../../../platform/AtomicFile.ts"
import { LogBusy } from "../../log/EventLog.ts"
import * as Database from "./database.ts"
import * as openDatabase from "./openDatabase.ts"

const PARTS = ["", "-wal", "-journal"]

/** The first existing file of a log. */
export const exists = (file: string): string | undefined =>
  PARTS.map((suffix) => file + suffix).find((part) => fs.existsSync(part))

/**
 * Writes a log as one file under a temporary name, and renames it once complete. Never replaces an existing file.
 * Removes temporary files that killed processes left for the same target.
 */
export const createAtomically = <A, E, R>(
  file: string,
  write: (database: Database.LogDatabase) => Effect.Effect<A, E, R | Scope.Scope>,
) => {
  const partial = AtomicFile.nameFor(file)
  return Effect.scoped(
    Effect.gen(function* () {
      AtomicFile.removeAbandonedFile(file)
      yield* openDatabase.open(partial)
      const database = yield* Database.open(partial, { readonly: false })
      const result = yield* write(database)
      yield* writeBack(database)
      return result
    }),
  ).pipe(
    Effect.zipLeft(Database.attempt(file, () => AtomicFile.moveNew(partial, file))),
    // If the partial file cannot be removed, writing it has already failed and said so.
    Effect.ensuring(Effect.ignore(Effect.try(() => removeAll(partial)))),
  )
}

/**
 * Checkpoints everything into the one file. Closing would do so too, but not while another process reads, and without
 * reporting a failure.
 */
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
