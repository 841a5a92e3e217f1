/** Reads the holder of a log's lease, and judges whether it is alive. */

import * as os from "node:os"
import { isAlive } from "../../platform/LiveProcess.ts"
import type { Holder } from "../log/Lease.ts"
import type { LogDatabase } from "./file/database.ts"

/** Interval of a holder's heartbeats. */
export const HEARTBEAT_EVERY_MS = 1000

/** A holder without a heartbeat for this long, by the reader's clock, may have lost the lease. */
const STALE_AFTER_MS = 10_000

/** The holder according to the file; undefined if there is none. */
export const readHolder = (database: LogDatabase): Holder | undefined => {
  if (database.rows("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'lease'").length === 0)
    return undefined
  const holder = readRow(database)
  return holder && { ...holder, owner: holder.owner.split("#")[0] ?? "" }
}

/** The row of the lease, whose owner is followed by `#` and the token of this acquisition; undefined if there is none. */
export const readRow = (database: LogDatabase): Holder | undefined => {
  const [row] = database.rows("SELECT owner, host, pid, acquired_at, heartbeat_at FROM lease")
  if (row === undefined) return undefined
  const [owner, host, pid, acquiredAt, heartbeatAt] = row
  return {
    owner: String(owner),
    host: String(host),
    pid: Number(pid),
    acquiredAt: Number(acquiredAt),
    heartbeatAt: Number(heartbeatAt),
  }
}

/** The state of a holder, as far as one read shows it. */
export type HolderState =
  /** Its last heartbeat is recent: it holds the lease. */
  | { readonly _tag: "Alive" }
  /** Its process no longer exists on this machine: another kernel may take the lease at once. */
  | { readonly _tag: "Gone" }
  /**
   * Its last heartbeat is long past, or far in the future. A clock may have been set, so that timestamps do not decide:
   * the lease is lost if the heartbeat does not change for `watchMs`.
   */
  | { readonly _tag: "Doubtful"; readonly watchMs: number }

/** Judges a holder. `now` is in epoch milliseconds. */
export const stateOf = ({ host, pid, heartbeatAt }: Holder, now: number): HolderState => {
  if (host === os.hostname() && !isAlive(pid)) return { _tag: "Gone" }
  const silentMs = now - heartbeatAt
  if (silentMs > STALE_AFTER_MS) return { _tag: "Doubtful", watchMs: 3 * HEARTBEAT_EVERY_MS }
  if (silentMs < -STALE_AFTER_MS) return { _tag: "Doubtful", watchMs: STALE_AFTER_MS }
  return { _tag: "Alive" }
}

/** The holder, if it is certainly alive. */
export const holderNow = (database: LogDatabase): Holder | undefined => {
  const holder = readHolder(database)
  return holder !== undefined && stateOf(holder, Date.now())._tag === "Alive" ? holder : undefined
}

/** The holder, if it is silent although its process on this machine lives. */
export const silentHolder = (database: LogDatabase): Holder | undefined => {
  const holder = readHolder(database)
  return holder?.host === os.hostname() && stateOf(holder, Date.now())._tag === "Doubtful" ? holder : undefined
}
