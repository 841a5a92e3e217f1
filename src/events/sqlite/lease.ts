import * as os from "node:os"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, type Context, Duration, Effect, Schedule } from "effect"
import { type Holder, type Lease, LeaseHeld, LeaseLost } from "../log/Lease.ts"
import { newId } from "../vocabulary/Event.ts"
import { mapSqlErrors, type OpenDatabase } from "./file/openDatabase.ts"
import { HEARTBEAT_EVERY_MS, stateOf } from "./leaseHolder.ts"

/** How often a holder is looked at of whom it is not known whether it lives. */
const LOOK_EVERY_MS = 100

export const make = ({ filename, sql }: OpenDatabase): Pick<Context.Tag.Service<Lease>, "acquire"> => ({
  acquire: (owner) =>
    Effect.gen(function* () {
      const token = `${owner}#${newId()}`
      // Watching a holder may take seconds, and may be interrupted: nothing is held yet.
      const free = yield* waitUntilFree(sql).pipe(mapSqlErrors(filename))
      // A lease that cannot be given back (a full disk, say) goes stale by itself.
      const takenFrom = yield* Effect.acquireRelease(take({ filename, sql, owner, token, free }), () =>
        Effect.ignore(sql`DELETE FROM lease WHERE owner = ${token}`),
      )
      let lost = false
      const held = Effect.suspend(() => (lost ? new LeaseLost({ log: filename, owner }) : Effect.void))
      const check = sql`SELECT 1 FROM lease WHERE owner = ${token}`.pipe(
        mapSqlErrors(filename),
        Effect.tap(([row]) => {
          lost ||= row === undefined
        }),
        Effect.zipRight(held),
      )
      const beat = Effect.suspend(() => sql`UPDATE lease SET heartbeat_at = ${Date.now()} WHERE owner = ${token}`)
      // A beat that fails is not yet a lost lease: `check` says whether it was lost.
      yield* Effect.zipRight(beat, check).pipe(
        Effect.ignore,
        Effect.repeat(Schedule.spaced(HEARTBEAT_EVERY_MS)),
        Effect.forkScoped,
      )
      return { check, held, takenFrom }
    }),
})

/** What was found of the lease: nobody, one who has lost it and when it last beat, or one who has it. */
type Found = { readonly _tag: "Free" } | { readonly _tag: "Lost"; readonly holder: Holder } | { readonly _tag: "Held" }

/**
 * Finds out who has the lease. Where a look does not settle whether its holder lives, the holder is watched: it has the
 * lease if its heartbeat changes, whatever time it says, and has lost it if that stays the same for as long as it is to be
 * watched, by a clock that nobody sets.
 */
const waitUntilFree = (sql: SqlClient): Effect.Effect<Found, SqlError> =>
  Effect.gen(function* () {
    const first = yield* readHolder(sql)
    const startedAt = yield* Clock.currentTimeNanos
    let holder = first
    while (holder !== undefined) {
      if (holder.owner !== first?.owner || holder.heartbeatAt !== first.heartbeatAt) return { _tag: "Held" }
      const standing = stateOf(holder, Date.now())
      if (standing._tag === "Gone") return { _tag: "Lost", holder }
      if (standing._tag === "Alive") return { _tag: "Held" }
      const watched = Duration.nanos((yield* Clock.currentTimeNanos) - startedAt)
      if (Duration.toMillis(watched) >= standing.watchMs) return { _tag: "Lost", holder }
      yield* Effect.sleep(LOOK_EVERY_MS)
      holder = yield* readHolder(sql)
    }
    return { _tag: "Free" }
  })

interface Taking {
  readonly filename: string
  readonly sql: SqlClient
  readonly owner: string
  readonly token: string
  readonly free: Found
}

/**
 * One statement that takes a lease that is free, or that its holder has lost and has still not beaten for; the row that is
 * there afterwards says whether it did. Answers with the holder that it was taken from.
 */
const take = ({ filename, sql, owner, token, free }: Taking) =>
  Effect.gen(function* () {
    const now = Date.now()
    const host = os.hostname()
    const [takenFrom, silentSince] = free._tag === "Lost" ? [free.holder.owner, free.holder.heartbeatAt] : ["", 0]
    yield* sql`
      INSERT INTO lease (one, owner, host, pid, acquired_at, heartbeat_at)
      VALUES (1, ${token}, ${host}, ${process.pid}, ${now}, ${now})
      ON CONFLICT (one) DO UPDATE SET owner = excluded.owner, host = excluded.host, pid = excluded.pid,
        acquired_at = excluded.acquired_at, heartbeat_at = excluded.heartbeat_at
      WHERE lease.owner = ${takenFrom} AND lease.heartbeat_at = ${silentSince}`
    const after = yield* readHolder(sql)
    if (after?.owner === token) return free._tag === "Lost" ? nameOf(free.holder) : null
    const found = after ?? { owner, host, pid: process.pid, acquiredAt: now, heartbeatAt: now }
    return yield* new LeaseHeld({ log: filename, holder: { ...found, owner: nameOf(found) } })
  }).pipe(mapSqlErrors(filename))

const nameOf = ({ owner }: Holder): string => owner.split("#")[0] ?? owner

const readHolder = (sql: SqlClient) =>
  Effect.map(
    sql<Holder>`SELECT owner, host, pid, acquired_at AS acquiredAt, heartbeat_at AS heartbeatAt FROM lease`,
    ([holder]) => holder,
  )
