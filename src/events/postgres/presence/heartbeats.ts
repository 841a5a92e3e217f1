/** The heartbeats of writers, and the judgement of one: by its session lock and the server's clock, never by a machine's. */

import * as os from "node:os"
import { Effect, type Scope } from "effect"
import type { LogError } from "../../log/EventLog.ts"
import { attemptRead, type Database, type Row } from "../server/connection.ts"
import { isHeld, lockOf, type Session } from "../server/session.ts"

/** In milliseconds. */
export const HEARTBEAT_EVERY_MS = 1_000

/** A silent writer whose session lock nobody can see is gone after this time, in milliseconds. */
export const STALE_AFTER_MS = 10_000

/** A writer without its session lock may be reconnecting for this long, in milliseconds. */
const RECONNECTS_WITHIN_MS = 1_500

/** A silent writer that still has its session lock, such as a stopped process, gets this much longer. In milliseconds. */
const SILENT_FOR_MS = 3_000

export const WATCH_INTERVAL_MS = 100

export interface Heartbeat {
  /** Grows with every heartbeat. */
  readonly beat: number
  /** Time since the last one, and since the server's start, by the server's clock. In milliseconds. */
  readonly silentMs: number
  /** Time of the last one by the server's clock, in epoch milliseconds. */
  readonly at: number
  /** Whether the writer's session lock is held; null if it has none. */
  readonly isHeld: boolean | null
}

/** The columns of a heartbeat in a statement that calls its table `h`. After the server's start, earlier silence does not count. */
export const COLUMNS = `h.beat, floor(extract(epoch FROM clock_timestamp() - greatest(h.at, pg_postmaster_start_time())) * 1000)::bigint,
  floor(extract(epoch FROM h.at) * 1000)::bigint, CASE WHEN h.lock IS NULL THEN NULL ELSE ${isHeld("h.lock")} END`

/** Undefined if there is none. */
export const heartbeatIn = ([beat, silentMs, at, held]: Row): Heartbeat | undefined =>
  beat === null || beat === undefined
    ? undefined
    : { beat: Number(beat), silentMs: Number(silentMs), at: Number(at), isHeld: held === null ? null : held === true }

/** `Doubtful`: a later look decides. `exists`: its process has its session lock, but is silent. */
export type Judgement =
  | { readonly _tag: "Alive" }
  | { readonly _tag: "Gone" }
  | { readonly _tag: "Doubtful"; readonly exists: boolean }

export const judge = (heartbeat: Heartbeat | undefined): Judgement => {
  if (heartbeat === undefined) return { _tag: "Gone" }
  const { silentMs, isHeld } = heartbeat
  if (isHeld === true) {
    if (silentMs < STALE_AFTER_MS) return { _tag: "Alive" }
    return silentMs < STALE_AFTER_MS + SILENT_FOR_MS ? { _tag: "Doubtful", exists: true } : { _tag: "Gone" }
  }
  const patience = isHeld === null ? STALE_AFTER_MS : RECONNECTS_WITHIN_MS
  return silentMs < patience ? { _tag: "Doubtful", exists: false } : { _tag: "Gone" }
}

/**
 * Announces a writer: takes its session lock, sends its first heartbeat and one each second until the scope closes.
 * `also` runs with each later one. A heartbeat that fails is skipped.
 *
 * @param busyMs how long the writer's main thread has been busy, if another thread sends
 */
export const announce = (
  database: Database,
  session: Session,
  identity: string,
  also: () => Promise<void> = async () => {},
  busyMs: () => number = () => 0,
): Effect.Effect<void, LogError, Scope.Scope> => {
  const lock = lockOf(identity)
  const send = () => session.send(SEND, [identity, lock, os.hostname(), process.pid, busyMs()])
  return Effect.asVoid(
    Effect.acquireRelease(
      attemptRead(database.address, async () => {
        await session.hold(lock)
        await send()
        let isBeating = false
        const timer = setInterval(() => {
          if (isBeating) return
          isBeating = true
          send()
            .then(() => session.retake(lock))
            .then(also)
            .catch(() => {})
            .finally(() => {
              isBeating = false
            })
        }, HEARTBEAT_EVERY_MS)
        timer.unref()
        return timer
      }),
      (timer) =>
        Effect.promise(async () => {
          clearInterval(timer)
          // Otherwise it becomes stale by itself.
          await database.queryOnce("DELETE FROM heartbeats WHERE identity = $1", [identity]).catch(() => {})
          await session.release(lock).catch(() => {})
        }),
    ),
  )
}

/** Another lock in the row means that others think this writer dead. */
const SEND = `INSERT INTO heartbeats (identity, beat, at, lock, host, pid, busy_ms) VALUES ($1, 1, clock_timestamp(), $2::bigint, $3, $4, $5)
  ON CONFLICT (identity) DO UPDATE SET beat = heartbeats.beat + 1, at = excluded.at, busy_ms = excluded.busy_ms WHERE heartbeats.lock = excluded.lock`
