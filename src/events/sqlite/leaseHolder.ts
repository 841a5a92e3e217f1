/** Reads the holder of a log's lease, and judges whether it lives. */

import * as ProcessIdentity from "../../platform/ProcessIdentity.ts"
import type { Holder } from "../log/Lease.ts"
import type { LogDatabase } from "./file/database.ts"
import * as Heartbeats from "./presence/heartbeats.ts"

/** The row of the lease; undefined if the row or its table is missing. */
export const readLease = (database: LogDatabase): LeaseRow | undefined =>
  Heartbeats.hasTable(database, "lease") ? readRow(database) : undefined

export interface LeaseRow extends Omit<Holder, "owner"> {
  /** The owner, `#`, and the identity drawn for this acquisition. */
  readonly token: string
  /** Undefined for holders before 0.3.1, which only note the time in the row. */
  readonly heartbeat: Heartbeats.Heartbeat | undefined
}

/** Like `readLease`, if the table exists. */
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

export const holderOf = ({ token, host, pid, acquiredAt, heartbeatAt }: LeaseRow): Holder => ({
  owner: token.slice(0, hashIn(token)),
  host,
  pid,
  acquiredAt,
  heartbeatAt,
})

export const identityIn = (token: string): string => token.slice(hashIn(token) + 1)

/** The identity starts after the last `#`: a name may contain one, an identity does not. */
const hashIn = (token: string): number => {
  const found = token.lastIndexOf("#")
  return found === -1 ? token.length : found
}

export const hasMoved = (before: LeaseRow, now: LeaseRow): boolean =>
  before.token !== now.token || before.heartbeatAt !== now.heartbeatAt || before.heartbeat?.beat !== now.heartbeat?.beat

export const stateOf = (row: LeaseRow): Heartbeats.Judgement => Heartbeats.judge(row.heartbeat, ProcessIdentity.own())
