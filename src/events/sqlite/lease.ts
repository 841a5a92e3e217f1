/** The lease of a log in an SQLite file: one row, taken by a single statement and kept alive by a heartbeat. */

import * as os from "node:os"
import { Clock, Duration, Effect, Schedule } from "effect"
import * as ProcessIdentity from "../../platform/ProcessIdentity.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import type { LogError } from "../log/EventLog.ts"
import { type Holder, type Lease, LeaseHeld, LeaseLost } from "../log/Lease.ts"
import { newId } from "../vocabulary/Event.ts"
import * as Database from "./file/database.ts"
import { hasMoved, holderOf, identityIn, type LeaseRow, readLease, readRow, stateOf } from "./leaseHolder.ts"
import * as Heartbeats from "./presence/heartbeats.ts"

const WATCH_INTERVAL_MS = 100

/** Report a holder that is watched for longer than this. */
const QUIET_MS = 2000

/**
 * @param database its own connection. It checks before each statement that the log's files are in place; otherwise it
 * writes nothing, and the lease can be neither taken nor confirmed
 */
export const make = (database: Database.LogDatabase): Pick<Lease.Service, "acquire"> => ({
  acquire: (owner) =>
    Effect.gen(function* () {
      const identity = newId()
      const token = `${owner}#${identity}`
      const place = ProcessIdentity.own()
      // Watching a holder may take seconds and be interrupted: nothing is acquired yet.
      const state = yield* waitUntilFree(database)
      // If the release fails, for example on a full disk, the lease becomes stale by itself.
      const takenFrom = yield* Effect.acquireRelease(take({ database, owner, token, place, state }), () =>
        Effect.ignore(
          attempt(database, () => {
            database.run("DELETE FROM lease WHERE owner = ?", [token])
            Heartbeats.remove(database, identity)
          }),
        ),
      )
      let lost = false
      const held = Effect.suspend(() => (lost ? new LeaseLost({ log: database.filename, owner }) : Effect.void))
      const check = attempt(database, () => database.rows("SELECT 1 FROM lease WHERE owner = ?", [token])).pipe(
        Effect.tap(([row]) => {
          lost ||= row === undefined
        }),
        Effect.zipRight(held),
      )
      const heartbeat = attempt(database, () => {
        Heartbeats.send(database, identity, place)
        database.run("UPDATE lease SET heartbeat_at = ? WHERE owner = ?", [Date.now(), token])
      })
      // A failed heartbeat does not lose the lease: `check` decides that.
      yield* Effect.zipRight(heartbeat, check).pipe(
        Effect.ignore,
        Effect.repeat({ schedule: Schedule.spaced(Heartbeats.HEARTBEAT_EVERY_MS), until: () => lost }),
        Effect.forkScoped,
      )
      return { identity, check, held, takenFrom: takenFrom?.owner ?? null, lostBy: takenFrom?.identity ?? null }
    }),
})

/** The reading part, which a log opened for reading only has too. */
export const reading = (database: Database.LogDatabase): Pick<Lease.Service, "holder" | "silent"> => ({
  holder: Effect.gen(function* () {
    const { holder, watched } = yield* watch(yield* readFrom(database), readFrom(database))
    return watched === "Held" ? holder : undefined
  }),
  silent: Effect.gen(function* () {
    const row = yield* readFrom(database)
    const state = row && stateOf(row)
    if (state?._tag !== "Doubtful" || !state.exists) return undefined
    const { holder, watched } = yield* watch(row, readFrom(database))
    return watched === "Lost" ? holder : undefined
  }),
})

const readFrom = (database: Database.LogDatabase) => Database.attemptRead(database.filename, () => readLease(database))

const attempt = <A>(database: Database.LogDatabase, run: () => A): Effect.Effect<A, LogError> =>
  Effect.catchTag(Database.attempt(database.filename, run), "DiskFull", () => Database.diskFullError(database.filename))

/** Free, lost by its holder (with the row as last read), or held. */
type LeaseState =
  | { readonly _tag: "Free" }
  | { readonly _tag: "Lost"; readonly row: LeaseRow }
  | { readonly _tag: "Held" }

/** Waits until the lease is certainly free or held. Warns whom it waits for if that takes long. */
const waitUntilFree = (database: Database.LogDatabase): Effect.Effect<LeaseState, LogError> =>
  Effect.gen(function* () {
    const first = yield* attempt(database, () => readRow(database))
    if (first === undefined) return { _tag: "Free" }
    const warned = Effect.delay(ProgramLog.warning(watchedMessage(holderOf(first))), QUIET_MS)
    const reading = attempt(database, () => readRow(database))
    const { watched, row } = yield* Effect.raceFirst(watch(first, reading), Effect.zipRight(warned, Effect.never))
    return watched === "Lost" && row !== undefined
      ? { _tag: watched, row }
      : { _tag: row === undefined ? "Free" : "Held" }
  })

const watchedMessage = ({ owner, pid, host }: Holder) =>
  `"${owner}" (process ${pid} on ${host}) holds the lease, and its process is not visible from here: watching its heartbeat for some seconds`

/**
 * Watches a doubtful holder. A changed heartbeat, whatever its time, proves that the holder lives; an unchanged one for
 * `watchMs`, by the monotonic clock, means that the lease is lost.
 */
const watch = (
  first: LeaseRow | undefined,
  read: Effect.Effect<LeaseRow | undefined, LogError>,
): Effect.Effect<
  {
    readonly watched: "Free" | "Held" | "Lost"
    readonly row: LeaseRow | undefined
    readonly holder: Holder | undefined
  },
  LogError
> =>
  Effect.gen(function* () {
    const startedAt = yield* Clock.currentTimeNanos
    let row = first
    /** From the first look: a later one would count the watched time as silence too. */
    let watchMs: number | undefined
    while (row !== undefined && first !== undefined) {
      const found = { row, holder: holderOf(row) }
      if (hasMoved(first, row)) return { ...found, watched: "Held" }
      const state = stateOf(row)
      if (state._tag === "Gone") return { ...found, watched: "Lost" }
      if (state._tag === "Alive") return { ...found, watched: "Held" }
      const watched = Duration.nanos((yield* Clock.currentTimeNanos) - startedAt)
      watchMs ??= state.watchMs
      if (Duration.toMillis(watched) >= watchMs) return { ...found, watched: "Lost" }
      yield* Effect.sleep(WATCH_INTERVAL_MS)
      row = yield* read
    }
    return { watched: "Free", row: undefined, holder: undefined }
  })

interface TakeRequest {
  readonly database: Database.LogDatabase
  readonly owner: string
  readonly token: string
  readonly place: ProcessIdentity.ProcessPlace
  readonly state: LeaseState
}

/**
 * One statement takes the lease if it is free, or if its holder lost it and has sent no heartbeat since. The row
 * afterwards shows whether it succeeded. Returns the previous holder.
 */
const take = ({ database, owner, token, place, state }: TakeRequest) =>
  Effect.gen(function* () {
    const now = Date.now()
    const host = os.hostname()
    const identity = identityIn(token)
    const lost = state._tag === "Lost" ? state.row : undefined
    yield* attempt(database, () => {
      // First, so that everyone who sees the lease also sees its holder's heartbeat.
      Heartbeats.send(database, identity, place)
      const beat = lost?.heartbeat?.beat ?? NO_BEAT
      const lostBy = lost === undefined ? "" : identityIn(lost.token)
      const row = [token, host, process.pid, now, now]
      database.run(TAKE, [...row, lost?.token ?? "", lost?.heartbeatAt ?? 0, lostBy, NO_BEAT, beat])
    })
    const after = yield* attempt(database, () => readRow(database))
    if (after?.token === token)
      return lost === undefined ? undefined : { ...holderOf(lost), identity: identityIn(lost.token) }
    yield* attempt(database, () => Heartbeats.remove(database, identity))
    const found = after && holderOf(after)
    const holder = found ?? { owner, host, pid: process.pid, acquiredAt: now, heartbeatAt: now }
    return yield* new LeaseHeld({ log: database.filename, holder })
  })

const NO_BEAT = 0

const TAKE = `
  INSERT INTO lease (one, owner, host, pid, acquired_at, heartbeat_at)
  VALUES (1, ?, ?, ?, ?, ?)
  ON CONFLICT (one) DO UPDATE SET owner = excluded.owner, host = excluded.host, pid = excluded.pid,
    acquired_at = excluded.acquired_at, heartbeat_at = excluded.heartbeat_at
  WHERE lease.owner = ? AND lease.heartbeat_at = ? AND
    coalesce((SELECT beat FROM heartbeats WHERE identity = ?), ?) = ?`
