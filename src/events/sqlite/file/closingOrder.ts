/**
 * Orders the closing of a log's connections, so that a replaced -wal or -shm does no harm.
 *
 * SQLite's last connection writes back the frames that it knows, and removes the -wal and -shm
 * (https://sqlite.org/wal.html). It does so only with an exclusive lock on the log's file: no other connection has the
 * file open, and its own is open for writing. It does not know frames that other processes wrote through another -shm,
 * so it would write wrong pages into the file, or remove events. A last connection that only reads writes nothing back
 * and removes nothing; the next process then finds the -wal as the others left it.
 */

import * as path from "node:path"
import { Effect, Exit, Scope } from "effect"
import * as ProgramLog from "../../../platform/ProgramLog.ts"
import type { Connection } from "../driver/Driver.ts"
import { identityOf, modifiedAt, sizeOf, targetOf } from "./fileIdentity.ts"
import * as openFiles from "./openFiles.ts"

export interface Scopes {
  readonly reading: Scope.Scope
  readonly writing: Scope.Scope
}

/**
 * Two scopes that close with the current one, in the order that the state of the log's files requires. Each needs a
 * connection.
 */
export const scopes = (filename: string): Effect.Effect<Scopes, never, Scope.Scope> =>
  Effect.gen(function* () {
    const log = path.resolve(targetOf(filename))
    const reading = yield* Scope.make()
    const writing = yield* Scope.make()
    yield* Effect.addFinalizer(() =>
      Effect.gen(function* () {
        const { writesBack, endangered } = stateOf(log)
        for (const scope of writesBack ? [reading, writing] : [writing, reading]) yield* Scope.close(scope, Exit.void)
        if (endangered !== undefined && isLost(log, writesBack)) yield* reportLoss(filename, endangered)
      }),
    )
    return { reading, writing }
  })

interface State {
  /** True if SQLite may write back this process's write-ahead log. */
  readonly writesBack: boolean
  /** Lost unless it is written back. */
  readonly endangered: Endangered | undefined
}

/** Pages in a removed write-ahead log, and the last position that this process knows; null if unreadable. */
interface Endangered {
  readonly pages: number
  readonly position: number | null
}

const stateOf = (log: string): State => {
  try {
    const open = openFiles.find(log)
    // SQLite writes nothing back if the log's file itself is gone or replaced.
    if (open === undefined) return { writesBack: true, endangered: undefined }
    const isOurs = (suffix: string) => identityOf(log + suffix) === open.known.identities.get(suffix)
    if (isOurs("-wal")) return { writesBack: isOurs("-shm"), endangered: undefined }
    return { writesBack: isOurs("-shm") || isUntouched(log, open), endangered: endangeredIn(open) }
  } catch {
    // The directory is unreadable; leave the -wal alone.
    return { writesBack: false, endangered: undefined }
  }
}

/**
 * True if no other process has written since the -wal was removed. If the -shm is gone too, none has opened the log,
 * unless both were created and removed again. A new -wal may belong to a process that only reads: then it is empty, and
 * the log's file unchanged.
 */
const isUntouched = (log: string, { known }: openFiles.OpenLog): boolean => {
  if (identityOf(`${log}-wal`) === undefined && identityOf(`${log}-shm`) === undefined) return true
  return sizeOf(`${log}-wal`) === 0 && modifiedAt(log) === known.modifiedAt
}

const endangeredIn = ({ connections: [connection] }: openFiles.OpenLog): Endangered | undefined => {
  if (connection === undefined) return undefined
  const [[, frames, writtenBack] = []] = connection.prepare("PRAGMA wal_checkpoint(NOOP)").rows([])
  const pages = Number(frames) - Number(writtenBack)
  return pages > 0 ? { pages, position: lastPosition(connection) } : undefined
}

const lastPosition = (connection: Connection): number | null => {
  try {
    return Number(connection.prepare("SELECT max(position) FROM events").rows([])[0]?.[0])
  } catch {
    // Another process wrote to pages that the removed write-ahead log relies on.
    return null
  }
}

/**
 * True if this process has closed the log without writing back its -wal. SQLite removes the files next to the log once
 * written back, so an existing one belongs to a process that opened the log in between. A process that still has the
 * removed -wal open will write it back.
 */
const isLost = (log: string, writesBack: boolean): boolean =>
  openFiles.find(log) === undefined && !(writesBack && identityOf(`${log}-wal`) === undefined)

const reportLoss = (filename: string, { pages, position }: Endangered) =>
  ProgramLog.error(
    "The -wal of a log was removed while it was open, and another process has opened the log since. The last writes of this process could not " +
      `be added: ${pages} pages, which may hold acknowledged events. The last event that it knew was at position ${position ?? "(unreadable)"}. Another ` +
      "process that had the log open before may still write them back: let it exit by itself. Then verify the log with `hindcast log verify`, " +
      "compare its last events with the acknowledged ones, and append missing ones again. Log:",
    undefined,
    filename,
  )
