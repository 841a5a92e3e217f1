import * as os from "node:os"
import type { SqlClient } from "@effect/sql/SqlClient"
import { type Context, Effect, Schedule } from "effect"
import { uuidv7 } from "uuidv7"
import { type Holder, type Lease, LeaseHeld, LeaseLost } from "../Lease.ts"
import { type Control, typed } from "./control.ts"
import { isStale } from "./holder.ts"

/** How often a holder says that it lives. */
const HEARTBEAT_EVERY_MS = 1000

export const make = ({ filename, sql }: Control): Context.Tag.Service<Lease> => ({
  acquire: (owner) =>
    Effect.gen(function* () {
      const token = `${owner}#${uuidv7()}`
      // A lease that cannot be given back (a full disk, say) goes stale by itself.
      yield* Effect.acquireRelease(take(filename, sql, owner, token), () =>
        Effect.ignore(sql`DELETE FROM lease WHERE owner = ${token}`),
      )
      let lost = false
      const held = Effect.suspend(() => (lost ? new LeaseLost({ log: filename, owner }) : Effect.void))
      const check = sql`SELECT 1 FROM lease WHERE owner = ${token}`.pipe(
        typed(filename),
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
      return { check, held }
    }),
})

/** One statement that takes a free or stale lease; the row that is there afterwards says whether it did. */
const take = (filename: string, sql: SqlClient, owner: string, token: string) =>
  Effect.gen(function* () {
    const now = Date.now()
    const host = os.hostname()
    const holder = yield* readHolder(sql)
    const [takenFrom, silentSince] =
      holder !== undefined && isStale(holder, now) ? [holder.owner, holder.heartbeatAt] : ["", 0]
    yield* sql`
      INSERT INTO lease (one, owner, host, pid, acquired_at, heartbeat_at)
      VALUES (1, ${token}, ${host}, ${process.pid}, ${now}, ${now})
      ON CONFLICT (one) DO UPDATE SET owner = excluded.owner, host = excluded.host, pid = excluded.pid,
        acquired_at = excluded.acquired_at, heartbeat_at = excluded.heartbeat_at
      WHERE lease.owner = ${takenFrom} AND lease.heartbeat_at = ${silentSince}`
    const after = yield* readHolder(sql)
    if (after?.owner === token) return
    const found = after ?? { owner, host, pid: process.pid, acquiredAt: now, heartbeatAt: now }
    return yield* new LeaseHeld({
      log: filename,
      holder: { ...found, owner: found.owner.split("#")[0] ?? found.owner },
    })
  }).pipe(typed(filename))

const readHolder = (sql: SqlClient) =>
  Effect.map(
    sql<Holder>`SELECT owner, host, pid, acquired_at AS acquiredAt, heartbeat_at AS heartbeatAt FROM lease`,
    ([holder]) => holder,
  )
