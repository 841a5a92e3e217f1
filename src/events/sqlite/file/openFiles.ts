/**
 * The logs that this process has open.
 *
 * SQLite has one shared memory per process and log, for all connections. A connection opened after the -shm was
 * replaced still uses the removed one, so knowledge about a log's files applies to all connections of the process.
 */

import type { Connection } from "../driver/Driver.ts"
import { identityOf, type KnownFiles } from "./fileIdentity.ts"

export interface OpenLog {
  readonly known: KnownFiles
  readonly connections: Set<Connection>
}

/** By the identity of the log's file. */
const logs = new Map<string, OpenLog>()

export const find = (filename: string): OpenLog | undefined => {
  const identity = identityOf(filename)
  return identity === undefined ? undefined : logs.get(identity)
}

/** Adds a connection. Call `remove` once it is closed. */
export const add = (
  filename: string,
  connection: Connection,
): { readonly known: KnownFiles; readonly remove: () => void } => {
  // No other connection has a file that was removed meanwhile.
  const identity = identityOf(filename) ?? `${filename} is gone`
  const log = logs.get(identity) ?? { known: { identities: new Map(), modifiedAt: undefined }, connections: new Set() }
  logs.set(identity, log)
  log.connections.add(connection)
  return {
    known: log.known,
    remove: () => {
      log.connections.delete(connection)
      if (log.connections.size === 0 && logs.get(identity) === log) logs.delete(identity)
    },
  }
}
