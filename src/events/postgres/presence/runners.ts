/**
 * The sessions of runners on PostgreSQL. A thread sends a session's heartbeats, so that a busy program lives.
 *
 * A session ends itself before others may take its tasks over. Without a heartbeat for five seconds, it ends; others
 * wait for six. A process that has died frees its session lock at once, so others wait for 1.5 seconds only once they
 * have seen the lock free for some time. But a connection also breaks while its process lives. The process learns of it
 * at once, and connects again, usually within 0.1 seconds; if it cannot, its session ends 1.2 seconds after the last
 * heartbeat.
 */

import { Deferred, Effect } from "effect"
import { monotonicNow } from "../../../platform/ProcessIdentity.ts"
import { LeaseLost, LogUnavailable } from "../../log/EventLog.ts"
import type { RunnerSessions } from "../../log/RunnerSessions.ts"
import { newId } from "../../vocabulary/Event.ts"
import { attemptRead, type Database } from "../server/connection.ts"
import { isHeld } from "../server/session.ts"
import * as Beating from "./beating.ts"
import { ENDS_AFTER_MS, ENDS_UNCONNECTED_AFTER_MS } from "./sending.ts"

/** Others may take the tasks of a session over after this time without a heartbeat. In milliseconds. */
const TAKEN_OVER_AFTER_MS = 6_000

/** The same for a session whose lock is free. In milliseconds. */
const GONE_AFTER_MS = 1_500

/** The lock must have been free for this long: the process may just learn that its connection broke. In milliseconds. */
const FREE_FOR_MS = 400

const CHECK_EVERY_MS = 100

/** A shorter delay of the main thread is no news. In milliseconds. */
const BUSY_AFTER_MS = 2_000

export const make = (database: Database, readonly: boolean): RunnerSessions.Service => {
  const { address, query } = database
  /** When this process first saw the lock of a session free, by its monotonic clock. */
  const freeSince = new Map<string, number>()
  const isLiving = (session: string, silentMs: number, isHeld: boolean) => {
    if (isHeld) freeSince.delete(session)
    if (isHeld || silentMs >= TAKEN_OVER_AFTER_MS) return silentMs < TAKEN_OVER_AFTER_MS
    const now = monotonicNow()
    const since = freeSince.get(session) ?? now
    freeSince.set(session, since)
    return silentMs < GONE_AFTER_MS || now - since < FREE_FOR_MS
  }
  return {
    several: true,
    join: (runner) =>
      Effect.gen(function* () {
        if (readonly) return yield* new LogUnavailable({ log: address.name, reason: "it was opened for reading only" })
        const identity = newId()
        const beats = yield* Beating.start(database, identity)
        const lost = new LeaseLost({ log: address.name, owner: runner })
        let hasEnded = false
        // By a clock that runs on while the process is stopped: the first look after that ends the session.
        const held = Effect.suspend(() => {
          const endsAfterMs = beats.isUnconnected() ? ENDS_UNCONNECTED_AFTER_MS : ENDS_AFTER_MS
          hasEnded ||= beats.haveEnded() || monotonicNow() - beats.lastAt() > endsAfterMs
          return hasEnded ? lost : Effect.void
        })
        const ended = yield* Deferred.make<LeaseLost>()
        yield* Effect.forkScoped(
          Effect.forever(Effect.zipRight(Effect.sleep(CHECK_EVERY_MS), held)).pipe(
            Effect.catchAll((found) => Deferred.succeed(ended, found)),
          ),
        )
        return {
          // The log refuses appends of a lost session, so nothing needs to be read.
          lease: { identity, check: held, held, takenFrom: null, lostBy: null },
          ended: Deferred.await(ended),
        }
      }),
    look: (sessions) =>
      attemptRead(address, async () => {
        const rows = await query(LOOK, [sessions])
        const living = new Set<string>()
        const busyMs = new Map<string, number>()
        for (const [, session, silentMs, held, busy] of rows) {
          if (session === null || !isLiving(String(session), Number(silentMs), held === true)) continue
          living.add(String(session))
          if (Number(busy) > BUSY_AFTER_MS) busyMs.set(String(session), Number(busy))
        }
        for (const session of freeSince.keys()) if (!sessions.includes(session)) freeSince.delete(session)
        return { now: Number(rows[0]?.[0]), living, busyMs }
      }),
  }
}

/** One row at least, for the time. Silence while the server was down does not count. */
const LOOK = `SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, h.identity,
  floor(extract(epoch FROM clock_timestamp() - greatest(h.at, pg_postmaster_start_time())) * 1000)::bigint,
  ${isHeld("h.lock")}, h.busy_ms
  FROM (SELECT) AS one LEFT JOIN heartbeats h ON h.identity = ANY($1::text[])`
