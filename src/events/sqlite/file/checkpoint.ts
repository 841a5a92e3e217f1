/** Truncates the write-ahead log while the log is idle, so that it does not stay large. */

import { Effect, Either, type Scope } from "effect"
import { attemptSync, type LogDatabase } from "./database.ts"

/** The log is idle after 1 to 2 seconds without a commit. In milliseconds. */
export const IDLE_AFTER_MS = 1000

/**
 * Truncates the write-ahead log when the log is idle and when the scope closes. SQLite's automatic checkpoint, every
 * 1,000 pages, writes it back and reuses it, but never shrinks it. Call the returned function after every commit.
 *
 * Never fails and never waits: if a reader or another writer blocks it, it tries again at the next idle moment. Does
 * not keep the process alive.
 *
 * Writing pages back blocks the process: 16 ms for 8 MB, the amount between two automatic checkpoints; 100 ms for 64
 * MB, which accumulates during another process's long read (2 cores, an SSD).
 *
 * @param database its own connection, or one whose other uses need not wait: its `busy_timeout` is 0
 */
export const truncateWhenIdle = (database: LogDatabase): Effect.Effect<() => void, never, Scope.Scope> => {
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
   * Two steps with appends in between: the first takes long but does not block other processes; the second blocks them
   * but has nothing left to write.
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
 * True if the whole write-ahead log was written back and, with `TRUNCATE`, emptied
 * (https://sqlite.org/pragma.html#pragma_wal_checkpoint). A reader or a full disk that prevents it is no error: readers
 * find the events in the write-ahead log, and the next append reports a faulty disk.
 */
const checkpoint = (database: LogDatabase, mode: "PASSIVE" | "TRUNCATE"): boolean =>
  Either.match(
    attemptSync(database.filename, () => database.rows(`PRAGMA wal_checkpoint(${mode})`)),
    {
      onLeft: () => false,
      onRight: ([row]) => row !== undefined && Number(row[0]) === 0 && row[1] === row[2],
    },
  )
