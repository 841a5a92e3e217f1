import * as os from "node:os"
import { isAlive } from "../../platform/LiveProcess.ts"
import type { Holder } from "../log/Lease.ts"
import type { LogDatabase } from "./file/database.ts"

/** How often a holder says that it lives. */
export const HEARTBEAT_EVERY_MS = 1000

/** A holder that was silent for this long, by the clock of whoever looks, has lost the lease. */
const STALE_AFTER_MS = 10_000

/** Who holds the lease by the file; undefined where nobody does. */
export const readHolder = (database: LogDatabase): Holder | undefined => {
  if (database.rows("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'lease'").length === 0)
    return undefined
  const [row] = database.rows("SELECT owner, host, pid, acquired_at, heartbeat_at FROM lease")
  if (row === undefined) return undefined
  const [owner, host, pid, acquiredAt, heartbeatAt] = row
  return {
    owner: String(owner).split("#")[0] ?? "",
    host: String(host),
    pid: Number(pid),
    acquiredAt: Number(acquiredAt),
    heartbeatAt: Number(heartbeatAt),
  }
}

/** What one look at a holder says. */
export type HolderState =
  /** Its last heartbeat is recent: it has the lease. */
  | { readonly _tag: "Alive" }
  /** Its process is gone from this machine: another kernel may take the lease at once. */
  | { readonly _tag: "Gone" }
  /**
   * Its last heartbeat is long past, or far in the future. That may be a clock that was set, its own or this machine's, so
   * no time that a clock shows settles it: it has lost the lease if the heartbeat does not change for so long.
   */
  | { readonly _tag: "Doubtful"; readonly watchMs: number }

/** What a look at a holder says. `now` is in epoch milliseconds. */
export const stateOf = ({ host, pid, heartbeatAt }: Holder, now: number): HolderState => {
  if (host === os.hostname() && !isAlive(pid)) return { _tag: "Gone" }
  const silentMs = now - heartbeatAt
  if (silentMs > STALE_AFTER_MS) return { _tag: "Doubtful", watchMs: 3 * HEARTBEAT_EVERY_MS }
  if (silentMs < -STALE_AFTER_MS) return { _tag: "Doubtful", watchMs: STALE_AFTER_MS }
  return { _tag: "Alive" }
}

/** Who is known to hold the lease; whoever is gone or in doubt is not. */
export const holderNow = (database: LogDatabase): Holder | undefined => {
  const holder = readHolder(database)
  return holder !== undefined && stateOf(holder, Date.now())._tag === "Alive" ? holder : undefined
}
