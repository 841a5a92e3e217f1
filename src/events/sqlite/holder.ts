import * as os from "node:os"
import type { Holder } from "../Lease.ts"
import type { LogDatabase } from "./database.ts"

/** A holder that was silent for this long, or whose process is gone from this machine, has lost the lease. */
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

/** Whether a holder has lost the lease: another kernel may take it. `now` is in epoch milliseconds. */
export const isStale = (holder: Holder, now: number): boolean =>
  now - holder.heartbeatAt > STALE_AFTER_MS || (holder.host === os.hostname() && !isAlive(holder.pid))

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    // EPERM: it lives, and belongs to someone else.
    return cause instanceof Error && "code" in cause && cause.code === "EPERM"
  }
}
