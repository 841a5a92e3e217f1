/**
 * Flushes the write-ahead log to disk without blocking the program.
 *
 * With `synchronous = FULL`, SQLite ends a commit with an fsync of the write-ahead log
 * (https://sqlite.org/pragma.html#pragma_synchronous), which blocks the process. Here it commits with `NORMAL`, and
 * callers that need the disk wait for an fsync in a thread of the pool, one for all commits before it.
 */

import * as fs from "node:fs"
import { Effect, type Scope } from "effect"
import type { Flush } from "../../append/Writer.ts"
import { LogUnavailable } from "../../log/EventLog.ts"

/** Opens the flush of a log's file in WAL mode. The write-ahead log must exist at the first flush. */
export const make = (filename: string): Effect.Effect<Flush, never, Scope.Scope> => {
  let wal: number | undefined
  let waiting: Array<Parameters<Flush>[0]> = []
  let underWay = false
  let failed: LogUnavailable | undefined

  const next = () => {
    const group = waiting
    waiting = []
    underWay = group.length > 0
    if (!underWay) return
    const finish = (failure: LogUnavailable | undefined) => {
      for (const done of group) done(failure)
      next()
    }
    try {
      wal ??= fs.openSync(`${fs.realpathSync(filename)}-wal`, "r+")
    } catch (cause) {
      // Nothing is lost: the next flush covers everything before it.
      setImmediate(finish, notFlushed(filename, cause, "Try again"))
      return
    }
    fs.fdatasync(wal, (cause) => {
      // After a failed fsync the system may count the pages as written, so later ones would succeed without reason.
      if (cause !== null) failed ??= notFlushed(filename, cause, FAILED)
      finish(failed)
    })
  }

  const flush: Flush = (done) => {
    waiting.push(done)
    if (!underWay) next()
  }
  const close = Effect.sync(() => {
    if (wal !== undefined) fs.closeSync(wal)
  })
  return Effect.as(
    Effect.addFinalizer(() => close),
    flush,
  )
}

const FAILED = "Check the disk, and open the log again: until then, appends that need a flush fail"

const notFlushed = (log: string, cause: unknown, advice: string): LogUnavailable => {
  const why = cause instanceof Error ? cause.message : String(cause)
  const reason = `the appended events could not be flushed to disk (${why}), so a power failure may lose them. ${advice}`
  return new LogUnavailable({ log, reason })
}
