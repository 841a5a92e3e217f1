/** Reads the holder of a log's lease, and judges whether it is alive. */

import * as ProcessIdentity from "../../platform/ProcessIdentity.ts"
import type { Holder } from "../log/Lease.ts"
import type { LogDatabase } from "./file/database.ts"
import * as Heartbeats from "./presence/heartbeats.ts"

/** The row of the lease; undefined if there is none, or no table for it. */
export const readLease = (database: LogDatabase): LeaseRow | undefined =>
  Heartbeats.hasTable(database, "lease") ? readRow(database) : undefined

/** The row of the lease, with the heartbeat of its holder. */
export interface LeaseRow extends Omit<Holder, "owner"> {
  /** The owner, `#`, and the identity that it drew for this acquisition. */
  readonly token: string
  /** Undefined for a holder that sends none, as those before 0.3.1, which only note the time in the row of the lease. */
  readonly heartbeat: Heartbeats.Heartbeat | undefined
}

/** The row of the lease where its table exists; undefined if there is none. */
export const readRow = (database: LogDatabase): LeaseRow | undefined => {
  const [row] = database.rows("SELECT owner, host, pid, acquired_at, heartbeat_at FROM lease")
  if (row === undefined) return undefined
  const [token, host, pid, acquiredAt, heartbeatAt] = row
  return {
    token: String(token),
    host: String(host),
    pid: Number(pid),
    acquiredAt: Number(acquiredAt),
    heartbeatAt: Number(heartbeatAt),
    heartbeat: Heartbeats.find(database, identityIn(String(token))),
  }
}

/** The holder in a row, as others are told of it. */
export const holderOf = ({ token, host, pid, acquiredAt, heartbeatAt }: LeaseRow): Holder => ({
  owner: token.slice(0, hashIn(token)),
  host,
  pid,
  acquiredAt,
  heartbeatAt,
})

/** The identity in a token. */
export const identityIn = (token: string): string => token.slice(hashIn(token) + 1)

/** Where the identity begins: a name may have a `#`, an identity has none. */
const hashIn = (token: string): number => {
  const found = token.lastIndexOf("#")
  return found === -1 ? token.length : found
}

/** Whether the holder has sent a heartbeat between two looks at the row. */
export const hasMoved = (before: LeaseRow, now: LeaseRow): boolean =>
  before.token !== now.token || before.heartbeatAt !== now.heartbeatAt || before.heartbeat?.beat !== now.heartbeat?.beat

/** Judges the holder in a row, as far as one look shows it. */
export const stateOf = (row: LeaseRow): Heartbeats.Judgement => Heartbeats.judge(row.heartbeat, ProcessIdentity.own())
