/**
 * The sessions of runners on PostgreSQL. A thread sends a session's heartbeats, so that a busy program lives. Without a
 * heartbeat for five seconds, a session ends itself; only a second later may others take its tasks over.
 */

import { Deferred, Effect } from "effect"
import { monotonicNow } from "../../../platform/ProcessIdentity.ts"
import { LeaseLost, LogUnavailable } from "../../log/EventLog.ts"
import type { RunnerSessions } from "../../log/RunnerSessions.ts"
import { newId } from "../../vocabulary/Event.ts"
import { attemptRead, type Database } from "../server/connection.ts"
import { isHeld } from "../server/session.ts"
import * as Beating from "./beating.ts"
import { ENDS_AFTER_MS } from "./sending.ts"

/** Others may take the tasks of a session over after this time without a heartbeat. In milliseconds. */
const TAKEN_OVER_AFTER_MS = 6_000

/** The same for a session whose process has ended, or whose connection broke and did not come back. In milliseconds. */
const GONE_AFTER_MS = 1_500

const CHECK_EVERY_MS = 250

/** A shorter delay of the main thread is no news. In milliseconds. */
const BUSY_AFTER_MS = 2_000

export const make = (database: Database, readonly: boolean): RunnerSessions.Service => {
  const { address, query } = database
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
          hasEnded ||= beats.haveEnded() || monotonicNow() - beats.lastAt() > ENDS_AFTER_MS
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
          if (session === null || Number(silentMs) >= (held === true ? TAKEN_OVER_AFTER_MS : GONE_AFTER_MS)) continue
          living.add(String(session))
          if (Number(busy) > BUSY_AFTER_MS) busyMs.set(String(session), Number(busy))
        }
        return { now: Number(rows[0]?.[0]), living, busyMs }
      }),
  }
}

/** One row at least, for the time. Silence while the server was down does not count. */
const LOOK = `SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, h.identity,
  floor(extract(epoch FROM clock_timestamp() - greatest(h.at, pg_postmaster_start_time())) * 1000)::bigint,
  ${isHeld("h.lock")}, h.busy_ms
  FROM (SELECT) AS one LEFT JOIN heartbeats h ON h.identity = ANY($1::text[])`
