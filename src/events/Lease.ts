import { Context, Data, type Effect, type Scope } from "effect"
import type { LogError } from "./EventLog.ts"

/** Who holds the lease of a log. */
export interface Holder {
  readonly owner: string
  readonly host: string
  readonly pid: number
  /** Epoch milliseconds. */
  readonly acquiredAt: number
  readonly heartbeatAt: number
}

/** Another kernel acts on this log. */
export class LeaseHeld extends Data.TaggedError("LeaseHeld")<{ readonly log: string; readonly holder: Holder }> {
  override get message() {
    const { owner, host, pid, acquiredAt } = this.holder
    return (
      `${this.log}: expected no kernel at work, found "${owner}" (process ${pid} on ${host}, since ${new Date(acquiredAt).toISOString()}). ` +
      "One kernel at a time acts on a log: stop that one, or use another log. Reading and confirming need no lease."
    )
  }
}

/** This kernel held the lease and lost it: it was silent for so long that another took over. */
export class LeaseLost extends Data.TaggedError("LeaseLost")<{ readonly log: string; readonly owner: string }> {
  override get message() {
    return `${this.log}: "${this.owner}" no longer holds the lease; another kernel took over. Nothing more is executed here.`
  }
}

/** A lease that is held. */
export interface HeldLease {
  /** Fails where another kernel has taken over, by the file. Asked before anything leaves the kernel. */
  readonly check: Effect.Effect<void, LeaseLost | LogError>
  /** The same as of the last heartbeat: costs nothing, and is at most some seconds old. */
  readonly held: Effect.Effect<void, LeaseLost>
}

/**
 * The right to act on a log, which one kernel has at a time. It is kept alive by a heartbeat while its scope is open and
 * given back when the scope closes; one whose owner is dead or silent is taken over.
 */
export class Lease extends Context.Tag("hindcast/Lease")<
  Lease,
  {
    readonly acquire: (owner: string) => Effect.Effect<HeldLease, LeaseHeld | LogError, Scope.Scope>
  }
>() {}
