/** Lease and presence of a log in memory. */

import { Effect } from "effect"
import { type Holder, type Lease, LeaseHeld } from "../log/Lease.ts"
import type { Presence } from "../log/Presence.ts"
import { newId } from "../vocabulary/Event.ts"

/** A lease within this program: the owner keeps it until its scope closes. */
export const make = (log: string): Lease.Service => {
  let holder: Holder | undefined
  return {
    holder: Effect.sync(() => holder),
    silent: Effect.succeed(undefined),
    acquire: (owner) =>
      Effect.acquireRelease(
        Effect.suspend(() => {
          if (holder !== undefined) return new LeaseHeld({ log, holder })
          const now = Date.now()
          holder = { owner, host: "this program", pid: process.pid, acquiredAt: now, heartbeatAt: now }
          const identity = newId()
          return Effect.succeed({ identity, check: Effect.void, held: Effect.void, takenFrom: null, lostBy: null })
        }),
        () =>
          Effect.sync(() => {
            holder = undefined
          }),
      ),
  }
}

/** Writers of this program, each until its scope closes. */
export const presence = (): Presence.Service => {
  const writers = new Set<string>()
  const stateOf = (identity: string) => Effect.sync(() => (writers.has(identity) ? "alive" : "gone"))
  return {
    announce: Effect.acquireRelease(
      Effect.sync(() => {
        const identity = newId()
        writers.add(identity)
        return identity
      }),
      (identity) => Effect.sync(() => writers.delete(identity)),
    ),
    stateOf,
    watch: stateOf,
    forget: () => Effect.void,
  }
}
