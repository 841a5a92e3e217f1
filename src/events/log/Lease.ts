/**
 * The lease of a log: at most one kernel acts on a log at a time. Keeps a silent kernel from acting after another took
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

/** Stop the other kernel or use another log: another kernel holds the lease. */
export class LeaseHeld extends Data.TaggedError("LeaseHeld")<{ readonly log: string; readonly holder: Holder }> {
  override get message() {
    const { owner, host, pid, acquiredAt } = this.holder
    return (
      `${this.log}: expected no kernel at work, found "${owner}" (process ${pid} on ${host}, since ${iso(acquiredAt)}). ` +
      "One kernel at a time acts on a log: stop that one, or use another log. Reading and confirming need no lease."
    )
  }
}

/** A lease that this kernel acquired. */
export interface HeldLease {
  /** The identity that the owner drew for this acquisition, a UUID. */
  readonly identity: string
  /** Fails if another kernel has taken over. Reads the file; call it before any effect on the outside. */
  readonly check: Effect.Effect<void, LeaseLost | LogError>
  /** Like `check`, as of the last heartbeat: costs nothing, and is at most a few seconds old. */
  readonly held: Effect.Effect<void, LeaseLost>
  /** The owner that had not released the lease and from which it was taken over; null if the lease was free. */
  readonly takenFrom: string | null
  /** The identity of that owner; null if the lease was free. It is dead for this log: it appends nothing any more. */
  readonly lostBy: string | null
}

/**
 * The right to act on a log. A heartbeat keeps it alive while its scope is open; closing the scope releases it. The
 * lease of a dead process is taken over at once where the process can be looked at: on the same machine, since the same
 * boot, in the same PID namespace. Any other owner that is silent loses the lease after it was watched for a while: no
 * wall clock is trusted, since clocks can be set, but a heartbeat that changes proves a live owner.
 */
export class Lease extends Context.Tag("hindcast/Lease")<Lease, Lease.Service>() {}

/** The type of the service: `Lease.Service`. */
export declare namespace Lease {
  /** What a backend provides, and proves by `leaseSuite` of `hindcast/testing`. */
  export interface Service {
    /** Acquires the lease until the scope closes. Fails with `LeaseHeld` while another kernel is alive. */
    readonly acquire: (owner: string) => Effect.Effect<HeldLease, LeaseHeld | LogError, Scope.Scope>
    /**
     * The current owner, if its kernel is alive; undefined if the lease is free, or its owner is dead or silent. Takes up to
     * ten seconds where only the next heartbeat can tell; a live owner sends one each second.
     */
    readonly holder: Effect.Effect<Holder | undefined, LogError>
    /**
     * The owner that has been silent for long although its process on this machine lives, such as one that is stopped;
     * undefined if there is none. Whoever acquires the lease takes over from it.
     */
    readonly silent: Effect.Effect<Holder | undefined, LogError>
  }
}

/** `Lease.Service`, under a shorter name where this module is imported as a namespace. */
export type Service = Lease.Service
