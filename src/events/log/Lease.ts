import { Context, Data, type Effect, type Scope } from "effect"
import { iso } from "../../values/Time.ts"
import type { LeaseLost, LogError } from "./EventLog.ts"

export { LeaseLost } from "./EventLog.ts"

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
      `${this.log}: expected no kernel at work, found "${owner}" (process ${pid} on ${host}, since ${iso(acquiredAt)}). ` +
      "One kernel at a time acts on a log: stop that one, or use another log. Reading and confirming need no lease."
    )
  }
}

/** A lease that is held. */
export interface HeldLease {
  /** Fails where another kernel has taken over, by the file. Asked before anything leaves the kernel. */
  readonly check: Effect.Effect<void, LeaseLost | LogError>
  /** The same as of the last heartbeat: costs nothing, and is at most some seconds old. */
  readonly held: Effect.Effect<void, LeaseLost>
  /** The owner that had not given it back, from whom it was taken over; null where nobody had it. */
  readonly takenFrom: string | null
}

/**
 * The right to act on a log, which one kernel has at a time. It is kept alive by a heartbeat while its scope is open and
 * given back when the scope closes. One whose owner is dead is taken over at once; one whose owner is silent, once it was
 * watched: what a heartbeat says of the time settles nothing, since clocks are set, but one that goes on is of a live owner.
 */
export class Lease extends Context.Tag("hindcast/Lease")<
  Lease,
  {
    readonly acquire: (owner: string) => Effect.Effect<HeldLease, LeaseHeld | LogError, Scope.Scope>
    /** Who holds it now: a kernel that is at work. Undefined where nobody does, or whoever did is dead or silent. */
    readonly holder: Effect.Effect<Holder | undefined, LogError>
  }
>() {}
