/** The lease of a log on PostgreSQL: one row, taken by a single statement and kept alive by a session lock and a heartbeat. */

import * as os from "node:os"
import { Effect, ExecutionStrategy, Exit, Scope } from "effect"
import * as ProgramLog from "../../../platform/ProgramLog.ts"
import { LogUnavailable } from "../../log/EventLog.ts"
import { type Holder, type Lease, LeaseHeld, LeaseLost } from "../../log/Lease.ts"
import { newId } from "../../vocabulary/Event.ts"
import { attemptRead, type Database } from "../server/connection.ts"
import type { Session } from "../server/session.ts"
import { announce, COLUMNS, type Heartbeat, heartbeatIn, judge, WATCH_INTERVAL_MS } from "./heartbeats.ts"

/** Report a holder that is watched for longer than this. In milliseconds. */
const QUIET_MS = 2_000

interface LeaseRow {
  /** The owner, `#`, and the identity drawn for this acquisition. */
  readonly token: string
  readonly identity: string
  readonly holder: Holder
  readonly heartbeat: Heartbeat | undefined
}

/** Free, lost by its holder (with the row as last read), or held. */
type LeaseState =
  | { readonly _tag: "Free" }
  | { readonly _tag: "Lost"; readonly row: LeaseRow }
  | { readonly _tag: "Held"; readonly row: LeaseRow }

export const make = (database: Database, session: Session, readonly: boolean): Lease.Service => {
  const { address, query } = database
  const attempt = <A>(run: () => Promise<A>) => attemptRead(address, run)

  const readRow = async (): Promise<LeaseRow | undefined> => {
    const [row] = await query(READ)
    if (row === undefined) return undefined
    const [token, host, pid, acquiredAt, ...rest] = row
    const heartbeat = heartbeatIn(rest)
    const text = String(token)
    const owner = text.slice(0, hashIn(text))
    const since = Number(acquiredAt)
    return {
      token: text,
      identity: text.slice(hashIn(text) + 1),
      holder: {
        owner,
        host: String(host),
        pid: Number(pid),
        acquiredAt: since,
        heartbeatAt: heartbeat?.at ?? since,
      },
      heartbeat,
    }
  }

  /** Looks until the lease is certainly free, lost or held. A changed heartbeat proves that the holder lives. */
  const watch = async (first: LeaseRow | undefined, warn: (holder: Holder) => void = () => {}): Promise<LeaseState> => {
    const began = performance.now()
    let hasWarned = false
    for (let row = first; ; row = await readRow()) {
      if (row === undefined || first === undefined) return { _tag: "Free" }
      if (row.token !== first.token || row.heartbeat?.beat !== first.heartbeat?.beat) return { _tag: "Held", row }
      const state = judge(row.heartbeat)
      if (state._tag === "Alive") return { _tag: "Held", row }
      if (state._tag === "Gone") return { _tag: "Lost", row }
      if (!hasWarned && performance.now() - began > QUIET_MS) {
        hasWarned = true
        warn(row.holder)
      }
      await database.waitToLook(WATCH_INTERVAL_MS)
    }
  }

  /** One statement takes the lease if it is free, or if its holder lost it and has sent no heartbeat since. */
  const take = async (owner: string, identity: string, lost: LeaseRow | undefined) => {
    const token = `${owner}#${identity}`
    const [taken] = await query(TAKE, [
      ...[token, os.hostname(), process.pid],
      ...[lost?.token ?? "", lost?.identity ?? "", lost?.heartbeat?.beat ?? NO_BEAT],
    ])
    return taken !== undefined
  }

  const refusal = Effect.fail(new LogUnavailable({ log: address.name, reason: "it was opened for reading only" }))
  return {
    acquire: (owner) =>
      readonly
        ? refusal
        : inOwnScope(
            Effect.gen(function* () {
              const identity = newId()
              const token = `${owner}#${identity}`
              const context = yield* Effect.context<never>()
              const warn = (holder: Holder) =>
                Effect.runFork(Effect.provide(ProgramLog.warning(watchedMessage(holder)), context))
              let isLost = false
              const look = async () => {
                isLost ||= (await query("SELECT 1 FROM lease WHERE token = $1", [token])).length === 0
              }
              // Watching a holder may take seconds and be interrupted: nothing is acquired yet.
              const state = yield* attempt(async () => watch(await readRow(), warn))
              const held = (row: Pick<LeaseRow, "holder">) => new LeaseHeld({ log: address.name, holder: row.holder })
              if (state._tag === "Held") return yield* held(state.row)
              const lost = state._tag === "Lost" ? state.row : undefined
              // First, so that everyone who sees the lease also sees its holder's heartbeat.
              let isTaken = false
              yield* announce(database, session, identity, async () => {
                if (isTaken) await look()
              })
              // If the release fails, the lease becomes stale by itself.
              yield* Effect.addFinalizer(() =>
                Effect.promise(async () => {
                  if (isTaken) await query("DELETE FROM lease WHERE token = $1", [token]).catch(() => {})
                }),
              )
              isTaken = yield* attempt(() => take(owner, identity, lost))
              if (!isTaken) {
                const now = yield* attempt(readRow)
                // A first try whose answer was lost took it.
                isTaken = now?.token === token
                if (now !== undefined && !isTaken) return yield* held(now)
                if (now === undefined) return yield* held(unknownHolder(owner))
              }
              const stillHeld = Effect.suspend(() =>
                isLost ? new LeaseLost({ log: address.name, owner }) : Effect.void,
              )
              return {
                identity,
                check: Effect.zipRight(attempt(look), stillHeld),
                held: stillHeld,
                takenFrom: lost?.holder.owner ?? null,
                lostBy: lost?.identity ?? null,
              }
            }),
          ),
    holder: attempt(async () => {
      const state = await watch(await readRow())
      return state._tag === "Held" ? state.row.holder : undefined
    }),
    silent: attempt(async () => {
      const first = await readRow()
      const state = first && judge(first.heartbeat)
      if (state?._tag !== "Doubtful" || !state.exists) return undefined
      const watched = await watch(first)
      return watched._tag === "Lost" ? watched.row.holder : undefined
    }),
  }
}

/** Releases at once what a failed acquisition has taken, not when the caller's scope closes. */
const inOwnScope = <A, E>(acquire: Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A, E, Scope.Scope> =>
  Effect.flatMap(
    Effect.flatMap(Effect.scope, (scope) => Scope.fork(scope, ExecutionStrategy.sequential)),
    (own) => Scope.extend(acquire, own).pipe(Effect.onError((cause) => Scope.close(own, Exit.failCause(cause)))),
  )

/** Who took the lease and released it again, while this kernel asked. */
const unknownHolder = (owner: string): Pick<LeaseRow, "holder"> => {
  const now = Date.now()
  return { holder: { owner, host: os.hostname(), pid: process.pid, acquiredAt: now, heartbeatAt: now } }
}

/** The identity starts after the last `#`: a name may contain one, an identity does not. */
const hashIn = (token: string): number => {
  const found = token.lastIndexOf("#")
  return found === -1 ? token.length : found
}

const watchedMessage = ({ owner, pid, host }: Holder) =>
  `"${owner}" (process ${pid} on ${host}) holds the lease and is silent: watching its heartbeat for some seconds`

const NO_BEAT = 0

const READ = `SELECT lease.token, lease.host, lease.pid, lease.acquired_at, ${COLUMNS}
  FROM lease LEFT JOIN heartbeats h ON h.identity = regexp_replace(lease.token, '^.*#', '')`

const TAKE = `INSERT INTO lease (token, host, pid, acquired_at) VALUES ($1, $2, $3, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)
  ON CONFLICT (one) DO UPDATE SET token = excluded.token, host = excluded.host, pid = excluded.pid, acquired_at = excluded.acquired_at
  WHERE lease.token = $4 AND coalesce((SELECT h.beat FROM heartbeats h WHERE h.identity = $5), ${NO_BEAT}) = $6
  RETURNING 1`
