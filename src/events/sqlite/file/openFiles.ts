/**
 * The files of each log that this process has open.
 *
 * SQLite has one shared memory per process and log, however many connections there are. A connection that is opened after the -shm was
 * replaced uses the removed one too, so that what is known of a log's files counts for all connections of the process.
 */

import type { Connection } from "../driver/Driver.ts"
import { identityOf, type KnownFiles } from "./fileIdentity.ts"

/** A log that this process has open: what is known of its files, and its connections. */
export interface OpenLog {
  readonly known: KnownFiles
  readonly connections: Set<Connection>
}

/** By the identity of the log's file. */
const logs = new Map<string, OpenLog>()

/** The log at a path, if this process has it open. */
export const find = (filename: string): OpenLog | undefined => {
  const identity = identityOf(filename)
  return identity === undefined ? undefined : logs.get(identity)
}

/** Adds a connection. Call `remove` once it is closed. */
export const add = (
  filename: string,
  connection: Connection,
): { readonly known: KnownFiles; readonly remove: () => void } => {
  // A file that was removed meanwhile is no other connection's.
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
