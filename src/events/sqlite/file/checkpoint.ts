import { Effect, Either, type Scope } from "effect"
import { attemptSync, type LogDatabase } from "./database.ts"

/** Nothing was committed for at least this long, and for less than twice as long: the log is idle. In milliseconds. */
export const IDLE_AFTER_MS = 1000

/**
 * Keeps a log that is open for writing from leaving a long write-ahead log behind. SQLite writes it back to the file by
 * itself every 1,000 pages, and uses it again from its beginning, so that it never shrinks; here it is truncated, once
 * nothing has been committed for a while, and when the scope closes. Whoever commits calls what this answers.
 *
 * It fails nothing and waits for nothing: where a reader or another writer is in the way, it tries again at the next idle
 * moment. It does not keep the process alive.
 *
 * While pages are written back the process stands still: 8 MB, which is what gathers between two of SQLite's own
 * checkpoints, took 16 ms; 64 MB, which a long read by someone else can bring about, 100 ms (2 cores, an SSD).
 *
 * @param database a connection of its own, or one that others use for what is not worth waiting for: `busy_timeout` is 0
 */
export const whenIdle = (database: LogDatabase): Effect.Effect<() => void, never, Scope.Scope> => {
  let commits = 0
  let truncatedAt = 0
  let stopWaiting: (() => void) | undefined

  const waitForIdle = () => {
    const seen = commits
    const timer = setTimeout(() => (commits === seen ? writeBackThenTruncate() : waitForIdle()), IDLE_AFTER_MS)
    timer.unref()
    stopWaiting = () => clearTimeout(timer)
  }

  /**
   * In two steps, between which appends have their turn: the first, which takes the time, keeps no other process from
   * appending; the second does, and has nothing left to write.
   */
  const writeBackThenTruncate = () => {
    if (!checkpoint(database, "PASSIVE")) return waitForIdle()
    const seen = commits
    const next = setImmediate(() => {
      if (commits !== seen || !checkpoint(database, "TRUNCATE")) return waitForIdle()
      truncatedAt = commits
      stopWaiting = undefined
    })
    stopWaiting = () => clearImmediate(next)
  }

  const close = () => {
    stopWaiting?.()
    if (truncatedAt !== commits) checkpoint(database, "TRUNCATE")
  }

  return Effect.as(
    Effect.addFinalizer(() => Effect.sync(close)),
    () => {
      commits += 1
      if (stopWaiting === undefined) waitForIdle()
    },
  )
}

/**
 * Whether all of the write-ahead log was written back, and with `TRUNCATE` cut to nothing
 * (https://sqlite.org/pragma.html#pragma_wal_checkpoint). What keeps it from that (a reader, a full disk) is no fault here:
 * the events are in the write-ahead log, where every reader finds them, and whoever appends next is told of a fault.
 */
const checkpoint = (database: LogDatabase, mode: "PASSIVE" | "TRUNCATE"): boolean =>
  Either.match(
    attemptSync(database.filename, () => database.rows(`PRAGMA wal_checkpoint(${mode})`)),
    {
      onLeft: () => false,
      onRight: ([row]) => row !== undefined && Number(row[0]) === 0 && row[1] === row[2],
    },
  )
