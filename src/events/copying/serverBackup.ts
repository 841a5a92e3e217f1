/** Backs up a log on a PostgreSQL server in a file, and restores one from a file: verified, under its name only once complete. */

import * as path from "node:path"
import { Effect } from "effect"
import * as ServerUrl from "../log/ServerUrl.ts"
import { type Copied, type CopyError, type CopyOptions, NotCopied } from "../maintenance/Backup.ts"
import { flush, placed, verified } from "../sqlite/archive/backup.ts"
import * as Database from "../sqlite/file/database.ts"
import * as openDatabase from "../sqlite/file/openDatabase.ts"
import * as BackupRecord from "../sqlite/ownership/BackupRecord.ts"
import { copyLog, copyUnnamed, type LogCopied, type LogCopyOptions } from "./copy.ts"

/** Options of `backup`: `from` is a URL, and `to` a file. */
export interface ServerBackupOptions
  extends Pick<CopyOptions, "from" | "to" | "withKeys" | "replace">,
    Pick<LogCopyOptions, "onEvents"> {}

/**
 * Copies a log on a server to a file, up to its head at the start, while others may append. The file is a log as good as
 * any: it has the same positions, ids, bytes and hashes. A killed process leaves nothing under its name.
 */
export const backup = ({ onEvents, ...options }: ServerBackupOptions): Effect.Effect<Copied, CopyError> => {
  const { withKeys = false } = options
  const from = ServerUrl.shown(options.from)
  const parts = { keys: withKeys, plugins: false, files: false, kept: [] }
  return placed({ ...options, from }, parts, (partial) =>
    Effect.gen(function* () {
      const copied = yield* copyUnnamed({ from: options.from, to: partial, withKeys, ...(onEvents && { onEvents }) })
      if (copied.head.position === 0)
        return yield* new NotCopied({ log: from, to: options.to, expected: "a log with events", found: "an empty one" })
      yield* settled(partial)
      // Others may have written to the server, and nothing vouches for plugins' code.
      const source = { heads: copied.own ? [copied.head] : [], foreignUpTo: copied.head.position, codes: [] }
      yield* BackupRecord.keep(source, copied.head)
      return { head: copied.head, events: copied.head.position, segments: [] }
    }),
  )
}

/** Moves all events into the file itself, and makes it durable. */
const settled = (file: string) =>
  Effect.gen(function* () {
    const own = yield* Database.open(file, { readonly: false })
    own.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    yield* Database.attempt(file, () => flush(file))
  }).pipe(Effect.scoped, openDatabase.mapDiskFull(file))

/**
 * Restores a backup as a log on a server, in a schema that does not exist, or whose log is the beginning of the backup:
 * then it adds the events that the log lacks. Verifies the backup first, and the log afterwards. The log is this user's
 * own if this user made the backup, on this machine, of an own log; otherwise it is foreign.
 */
export const restore = (options: LogCopyOptions): Effect.Effect<LogCopied, CopyError> =>
  Effect.gen(function* () {
    const { head } = yield* verified({ from: options.from, to: ServerUrl.shown(options.to) }, options.from)
    yield* BackupRecord.adopt(path.resolve(options.from), head)
    return yield* copyLog(options)
  })
