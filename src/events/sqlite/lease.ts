/** The lease of a log in an SQLite file: one row, taken by a single statement and kept alive by a heartbeat. */

import * as os from "node:os"
import { Clock, type Context, Duration, Effect, Schedule } from "effect"
import type { LogError } from "../log/EventLog.ts"
import { type Holder, type Lease, LeaseHeld, LeaseLost } from "../log/Lease.ts"
import { newId } from "../vocabulary/Event.ts"
import * as Database from "./file/database.ts"
import { HEARTBEAT_EVERY_MS, readRow, stateOf } from "./leaseHolder.ts"

/** How often the heartbeat of a doubtful holder is read. */
const WATCH_INTERVAL_MS = 100

/**
 * @param database a connection of its own. It checks before each statement that the log's files are in their places: if they are not, nothing is
 *   written, and the lease can be neither taken nor confirmed
 */
export const make = (database: Database.LogDatabase): Pick<Context.Tag.Service<Lease>, "acquire"> => ({
  acquire: (owner) =>
    Effect.gen(function* () {
      const token = `${owner}#${newId()}`
      // Watching a holder may take seconds and may be interrupted: nothing is acquired yet.
      const state = yield* waitUntilFree(database)
      // If the release fails (on a full disk, for example), the lease becomes stale by itself.
      const takenFrom = yield* Effect.acquireRelease(take({ database, owner, token, state }), () =>
        Effect.ignore(attempt(database, () => database.run("DELETE FROM lease WHERE owner = ?", [token]))),
      )
      let lost = false
      const held = Effect.suspend(() => (lost ? new LeaseLost({ log: database.filename, owner }) : Effect.void))
      const check = attempt(database, () => database.rows("SELECT 1 FROM lease WHERE owner = ?", [token])).pipe(
        Effect.tap(([row]) => {
          lost ||= row === undefined
        }),
        Effect.zipRight(held),
      )
      const heartbeat = attempt(database, () =>
        database.run("UPDATE lease SET heartbeat_at = ? WHERE owner = ?", [Date.now(), token]),
      )
      // A heartbeat that fails does not mean that the lease is lost: `check` decides that.
      yield* Effect.zipRight(heartbeat, check).pipe(
        Effect.ignore,
        Effect.repeat(Schedule.spaced(HEARTBEAT_EVERY_MS)),
        Effect.forkScoped,
      )
      return { check, held, takenFrom }
    }),
})

const attempt = <A>(database: Database.LogDatabase, run: () => A): Effect.Effect<A, LogError> =>
  Effect.catchTag(Database.attempt(database.filename, run), "DiskFull", () => Database.diskFullError(database.filename))

/** The state of the lease: free, lost by its holder (with its last heartbeat), or held. */
type LeaseState =
  | { readonly _tag: "Free" }
  | { readonly _tag: "Lost"; readonly holder: Holder }
  | { readonly _tag: "Held" }

/**
 * Waits until the lease is free or held for certain. If the state of its holder is doubtful, watches it: a heartbeat
 * that changes, whatever time it carries, proves a live holder; one that stays the same for `watchMs`, by the monotonic
 * clock, means that the lease is lost.
 */
const waitUntilFree = (database: Database.LogDatabase): Effect.Effect<LeaseState, LogError> =>
  Effect.gen(function* () {
    const first = yield* readHolder(database)
    const startedAt = yield* Clock.currentTimeNanos
    let holder = first
    while (holder !== undefined) {
      if (holder.owner !== first?.owner || holder.heartbeatAt !== first.heartbeatAt) return { _tag: "Held" }
      const state = stateOf(holder, Date.now())
      if (state._tag === "Gone") return { _tag: "Lost", holder }
      if (state._tag === "Alive") return { _tag: "Held" }
      const watched = Duration.nanos((yield* Clock.currentTimeNanos) - startedAt)
      if (Duration.toMillis(watched) >= state.watchMs) return { _tag: "Lost", holder }
      yield* Effect.sleep(WATCH_INTERVAL_MS)
      holder = yield* readHolder(database)
    }
    return { _tag: "Free" }
  })

interface TakeRequest {
  readonly database: Database.LogDatabase
  readonly owner: string
  readonly token: string
  readonly state: LeaseState
}

/**
 * One statement takes the lease if it is free, or if its holder lost it and has not sent a heartbeat since. The row
 * afterwards shows whether it succeeded. Returns the previous holder.
 */
const take = ({ database, owner, token, state }: TakeRequest) =>
  Effect.gen(function* () {
    const now = Date.now()
    const host = os.hostname()
    const [takenFrom, silentSince] = state._tag === "Lost" ? [state.holder.owner, state.holder.heartbeatAt] : ["", 0]
    yield* attempt(database, () => database.run(TAKE, [token, host, process.pid, now, now, takenFrom, silentSince]))
    const after = yield* readHolder(database)
    if (after?.owner === token) return state._tag === "Lost" ? nameOf(state.holder) : null
    const found = after ?? { owner, host, pid: process.pid, acquiredAt: now, heartbeatAt: now }
    return yield* new LeaseHeld({ log: database.filename, holder: { ...found, owner: nameOf(found) } })
  })

const TAKE = `
  INSERT INTO lease (one, owner, host, pid, acquired_at, heartbeat_at)
  VALUES (1, ?, ?, ?, ?, ?)
  ON CONFLICT (one) DO UPDATE SET owner = excluded.owner, host = excluded.host, pid = excluded.pid,
    acquired_at = excluded.acquired_at, heartbeat_at = excluded.heartbeat_at
  WHERE lease.owner = ? AND lease.heartbeat_at = ?`

const nameOf = ({ owner }: Holder): string => owner.split("#")[0] ?? owner

const readHolder = (database: Database.LogDatabase) => attempt(database, () => readRow(database))
