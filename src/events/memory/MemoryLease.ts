/** The lease of a log in memory. */

import { type Context, Effect } from "effect"
import { type Holder, type Lease, LeaseHeld } from "../log/Lease.ts"

/** A lease that only this program can see: its owner keeps it until the scope closes. */
export const make = (log: string): Context.Tag.Service<Lease> => {
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
          return Effect.succeed({ check: Effect.void, held: Effect.void, takenFrom: null })
        }),
        () =>
          Effect.sync(() => {
            holder = undefined
          }),
      ),
  }
}
