import { type Context, Effect } from "effect"
import {
  type AppendError,
  type AppendRequest,
  type EventLog,
  Exact,
  MAIN,
  type VersionConflict,
} from "../../events/log/EventLog.ts"
import type { HeldLease } from "../../events/log/Lease.ts"

type Log = Context.Tag.Service<EventLog>

/** Where kernels say that they took over, started and stopped. Its version tells whether another one has since. */
export const STREAM = "kernel"

/**
 * The log as the kernel that has just got the lease appends to it. A lease alone keeps no kernel from appending that was
 * stopped after it had looked: so each append is fenced by the stream in which the next kernel says that it took over, which
 * the log checks in the same moment in which it takes the append. Once another kernel has taken over, this one appends
 * nothing more anywhere: each attempt fails with `LeaseLost`.
 *
 * Where the lease was taken from a kernel that had not given it back, that is said first (`LeaseTakenOver`): from there on
 * that kernel is shut out, before anything is done about what it left.
 */
export const raise = (log: Log, owner: string, lease: HeldLease): Effect.Effect<Log, AppendError> =>
  Effect.gen(function* () {
    const { takenFrom } = lease
    const standing = yield* log.versionOf(STREAM, MAIN)
    // In this order: whoever takes over after this look says so after that version.
    yield* lease.check
    if (takenFrom === null) return fenced(log, lease, standing)
    const { version } = yield* log.append({
      ...{ timeline: MAIN, stream: STREAM, actor: "kernel", expected: Exact(standing) },
      events: [{ type: "LeaseTakenOver", payload: { owner, from: takenFrom } }],
    })
    return fenced(log, lease, version)
  }).pipe(Effect.catchTag("VersionConflict", () => raise(log, owner, lease)))

const fenced = (log: Log, lease: HeldLease, from: number): Log => {
  /** The version of the kernels' stream up to which the lease was this kernel's. */
  let version = from

  const append = (request: AppendRequest): ReturnType<Log["append"]> =>
    Effect.suspend(() => {
      const fence = { timeline: MAIN, stream: STREAM, version }
      return log
        .append({ ...request, fence })
        .pipe(
          Effect.catchTag("VersionConflict", (conflict) =>
            Effect.flatMap(lease.check, () => goOn(request, conflict, fence.version)),
          ),
        )
    })

  /**
   * The lease is still this kernel's: whatever came, no other kernel says it. Of several that met the same fence, the others have
   * to go on too once the first has moved it: so the conflict is held against the version that this one expected.
   */
  const goOn = (request: AppendRequest, conflict: VersionConflict, expected: number): ReturnType<Log["append"]> => {
    const isOfFence = conflict.stream === STREAM && conflict.actual > expected
    if (!isOfFence) return Effect.fail(conflict)
    version = Math.max(version, conflict.actual)
    return append(request)
  }

  return {
    ...log,
    append: (request) =>
      request.stream === STREAM
        ? Effect.tap(append(request), (appended) => {
            version = Math.max(version, appended.version)
          })
        : append(request),
  }
}
