/** Fences the log's appends, so that a kernel which has lost its lease appends nothing more. */

import { Effect } from "effect"
import {
  type AppendError,
  type AppendRequest,
  type EventLog,
  Exact,
  MAIN,
  type VersionConflict,
} from "../../events/log/EventLog.ts"
import type { HeldLease } from "../../events/log/Lease.ts"

/**
 * The stream of kernels: taken over, started, stopped. A higher version means that another kernel may have taken
 * over.
 */
export const STREAM = "kernel"

/**
 * The log for the kernel that has just acquired the lease. Checking the lease before each append would not be enough,
 * since a kernel may be suspended between the check and the append. So each append is fenced by the version of the
 * kernels' stream, to which every kernel that takes over appends; the log checks the fence in the transaction of the
 * append. Once another kernel has taken over, every append of this one fails with `LeaseLost`.
 *
 * If the lease was taken from a kernel that had not released it, `LeaseTakenOver` is recorded first. It shuts that
 * kernel out before its unfinished work is closed.
 */
export const fencedLog = (
  log: EventLog.Service,
  owner: string,
  lease: HeldLease,
): Effect.Effect<EventLog.Service, AppendError> =>
  Effect.gen(function* () {
    const { takenFrom } = lease
    const current = yield* log.versionOf(STREAM, MAIN)
    // The lease is checked after the version was read, so that a kernel that takes over later appends after that
    // version.
    yield* lease.check
    if (takenFrom === null) return fenced(log, lease, current)
    const { version } = yield* log.append({
      timeline: MAIN,
      stream: STREAM,
      actor: "kernel",
      expected: Exact(current),
      events: [{ type: "LeaseTakenOver", payload: { owner, from: takenFrom } }],
    })
    return fenced(log, lease, version)
  }).pipe(Effect.catchTag("VersionConflict", () => fencedLog(log, owner, lease)))

const fenced = (log: EventLog.Service, lease: HeldLease, from: number): EventLog.Service => {
  /** The version of the kernels' stream up to which this kernel held the lease. */
  let version = from

  const append = (request: AppendRequest): ReturnType<EventLog.Service["append"]> =>
    Effect.suspend(() => {
      const fence = { timeline: MAIN, stream: STREAM, version }
      return log
        .append({ ...request, fence })
        .pipe(
          Effect.catchTag("VersionConflict", (conflict) =>
            Effect.flatMap(lease.check, () => retry(request, conflict, fence.version)),
          ),
        )
    })

  /**
   * Retries an append whose fence failed although this kernel still holds the lease. Of several appends that met the
   * same fence, the first moves it; the others are compared with the version that they expected, and are retried too.
   */
  const retry = (
    request: AppendRequest,
    conflict: VersionConflict,
    expected: number,
  ): ReturnType<EventLog.Service["append"]> => {
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
