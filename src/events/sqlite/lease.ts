import * as os from "node:os"
import { type Context, Effect, Schedule } from "effect"
import { DiskFull, type LogError, LogUnavailable } from "../EventLog.ts"
import { type Holder, type Lease, LeaseHeld, LeaseLost } from "../Lease.ts"
import type { Connection, StatementError } from "./connection.ts"

/** How often a holder says that it lives. */
const HEARTBEAT_EVERY_MS = 1000

/** A holder that was silent for this long, or whose process is gone from this machine, has lost the lease. */
const STALE_AFTER_MS = 10_000

export const make = (connection: Connection): Context.Tag.Service<Lease> => ({
  acquire: (owner) =>
    Effect.gen(function* () {
      const token = `${owner}#${process.pid}#${Date.now()}`
      // A lease that cannot be given back (a full disk, say) goes stale by itself.
      yield* Effect.acquireRelease(take(connection, owner, token), () =>
        Effect.ignore(connection.run("DELETE FROM lease WHERE owner = ?", [token])),
      )
      const check = Effect.gen(function* () {
        const [row] = yield* rows(connection, "SELECT 1 FROM lease WHERE owner = ?", [token])
        if (row === undefined) return yield* new LeaseLost({ log: connection.filename, owner })
      })
      const beat = run(connection, "UPDATE lease SET heartbeat_at = ? WHERE owner = ?", () => [Date.now(), token])
      // A beat that fails is not yet a lost lease: `check` says whether it was lost.
      yield* beat.pipe(Effect.ignore, Effect.repeat(Schedule.spaced(HEARTBEAT_EVERY_MS)), Effect.forkScoped)
      return { check }
    }),
})

/** One statement that takes a free or stale lease; the row that is there afterwards says whether it did. */
const take = (connection: Connection, owner: string, token: string) =>
  Effect.gen(function* () {
    const now = Date.now()
    const holder = yield* readHolder(connection)
    const stale = holder !== undefined && isStale(holder, now)
    yield* run(
      connection,
      `INSERT INTO lease (one, owner, host, pid, acquired_at, heartbeat_at) VALUES (1, ?, ?, ?, ?, ?)
       ON CONFLICT (one) DO UPDATE SET owner = excluded.owner, host = excluded.host, pid = excluded.pid,
         acquired_at = excluded.acquired_at, heartbeat_at = excluded.heartbeat_at
       WHERE lease.owner = ? AND lease.heartbeat_at = ?`,
      () => [token, os.hostname(), process.pid, now, now, stale ? holder.owner : "", stale ? holder.heartbeatAt : 0],
    )
    const after = yield* readHolder(connection)
    if (after === undefined || after.owner !== token) {
      const found = after ?? { owner, host: os.hostname(), pid: process.pid, acquiredAt: now, heartbeatAt: now }
      return yield* new LeaseHeld({
        log: connection.filename,
        holder: { ...found, owner: found.owner.split("#")[0] ?? found.owner },
      })
    }
  })

const readHolder = (connection: Connection): Effect.Effect<Holder | undefined, LogError> =>
  Effect.map(
    rows(connection, "SELECT owner, host, pid, acquired_at, heartbeat_at FROM lease"),
    ([row]) =>
      row && {
        owner: String(row[0]),
        host: String(row[1]),
        pid: Number(row[2]),
        acquiredAt: Number(row[3]),
        heartbeatAt: Number(row[4]),
      },
  )

const isStale = (holder: Holder, now: number): boolean =>
  now - holder.heartbeatAt > STALE_AFTER_MS || (holder.host === os.hostname() && !isAlive(holder.pid))

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    // EPERM: it lives, and belongs to someone else.
    return cause instanceof Error && "code" in cause && cause.code === "EPERM"
  }
}

/** To whoever wants the lease, a full disk is one more reason why the log is not available. */
const typed = <A>(effect: Effect.Effect<A, StatementError>): Effect.Effect<A, LogError> =>
  Effect.catchIf(
    effect,
    (error) => error instanceof DiskFull,
    (error) => new LogUnavailable({ log: error.log, reason: "the disk is full" }),
  )

const run = (connection: Connection, sql: string, parameters: () => ReadonlyArray<unknown>) =>
  Effect.suspend(() => typed(connection.run(sql, parameters())))

const rows = (connection: Connection, sql: string, parameters: ReadonlyArray<unknown> = []) =>
  typed(connection.rows(sql, parameters))
