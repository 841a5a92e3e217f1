/**
 * Keeps the write-ahead log when a log is closed whose shared memory was removed or replaced while it was open.
 *
 * SQLite's last connection writes back the frames that it knows and removes the file (https://sqlite.org/wal.html). What other processes
 * have appended by another shared memory is not among these frames, and would be lost.
 */
import * as fs from "node:fs"
import { Effect, type Scope } from "effect"
import { identityOf, targetOf } from "./fileIdentity.ts"

/** Opens a log by `open`, and closes it with the scope such that its write-ahead log is kept where that is needed. */
export const preserving = <A, E>(
  filename: string,
  open: Effect.Effect<A, E, Scope.Scope>,
): Effect.Effect<A, E, Scope.Scope> =>
  Effect.gen(function* () {
    const log = targetOf(filename)
    const [wal, sharedMemory, kept] = [`${log}-wal`, `${log}-shm`, `${log}-wal.${process.pid}.kept`]
    // Finalizers run in the reverse order: this one after the connections were closed, the next one before.
    yield* Effect.addFinalizer(() => Effect.sync(() => restore(kept, wal)))
    const opened = yield* open
    const identity = identityOf(sharedMemory)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        if (identityOf(sharedMemory) !== identity && identityOf(wal) !== undefined) keep(wal, kept)
      }),
    )
    return opened
  })

const keep = (wal: string, kept: string): void => {
  fs.rmSync(kept, { force: true })
  fs.linkSync(wal, kept)
}

const restore = (kept: string, wal: string): void => {
  if (identityOf(kept) === undefined) return
  if (identityOf(wal) === undefined) fs.renameSync(kept, wal)
  else fs.unlinkSync(kept)
}
