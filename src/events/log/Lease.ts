/**
 * The lease of a log: at most one kernel acts on a log at a time, and a silent kernel stops acting once another took
 * over.
 */

import { Context, Data, type Effect, type Scope } from "effect"
import { iso } from "../../values/Time.ts"
import type { LeaseLost, LogError } from "./EventLog.ts"

export { LeaseLost } from "./EventLog.ts"

/** The owner of a lease. */
export interface Holder {
  readonly owner: string
  readonly host: string
  readonly pid: number
  /** Epoch milliseconds. */
  readonly acquiredAt: number
  readonly heartbeatAt: number
}

/** Another kernel holds the lease. Stop it or use another log. */
export class LeaseHeld extends Data.TaggedError("LeaseHeld")<{ readonly log: string; readonly holder: Holder }> {
  override get message() {
    const { owner, host, pid, acquiredAt } = this.holder
    return (
      `${this.log}: expected no running kernel, found "${owner}" (process ${pid} on ${host}, since ${iso(acquiredAt)}). ` +
      "Only one kernel at a time acts on a log: stop that one, or use another log. Reading and confirming need no lease."
    )
  }
}

/** A lease that this kernel acquired. */
export interface HeldLease {
  /** A UUID that the owner drew for this acquisition. */
  readonly identity: string
  /** Fails if another kernel has taken over. Reads the file; call it before every effect on the outside. */
  readonly check: Effect.Effect<void, LeaseLost | LogError>
  /** Like `check`, as of the last heartbeat, at most a few seconds ago. Costs nothing. */
  readonly held: Effect.Effect<void, LeaseLost>
  /** The owner that this kernel took over from; null if the lease was free. */
  readonly takenFrom: string | null
  /** The identity of that owner, which can append nothing any more; null if the lease was free. */
  readonly lostBy: string | null
}

/**
 * The right to act on a log. A heartbeat keeps it while its scope is open; closing the scope releases it. A dead
 * process loses the lease at once if this kernel can see the process: on the same machine, since the same boot, in the
 * same PID namespace. Any other silent owner loses it after a period of watching. No wall clock counts, because clocks
 * can be set; a changed heartbeat proves that the owner lives.
 */
export class Lease extends Context.Tag("hindcast/Lease")<Lease, Lease.Service>() {}

/** The type of the service: `Lease.Service`. */
export declare namespace Lease {
  /** The lease as every backend provides it. `leaseSuite` of `hindcast/testing` tests a backend. */
  export interface Service {
    /** Acquires the lease until the scope closes. Fails with `LeaseHeld` while another kernel lives. */
    readonly acquire: (owner: string) => Effect.Effect<HeldLease, LeaseHeld | LogError, Scope.Scope>
    /**
     * The owner, if its kernel lives; undefined if the lease is free, or its owner is dead or silent. If only the
     * heartbeat, sent each second, can show this, it takes up to ten seconds.
     */
    readonly holder: Effect.Effect<Holder | undefined, LogError>
    /**
     * An owner that has long been silent although its process on this machine lives, for example because it is stopped.
     * Acquiring the lease takes over from it.
     */
    readonly silent: Effect.Effect<Holder | undefined, LogError>
  }
}

/** Alias of `Lease.Service` for namespace imports. */
export type Service = Lease.Service
