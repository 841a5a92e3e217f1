/** Fences the log's appends, so that a kernel that lost its lease can append nothing more. */

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

/** The stream of kernels. A new version means that another kernel may have taken over. */
export const STREAM = "kernel"

/**
 * The log for the kernel that has just acquired the lease.
 *
 * Checking the lease before each append is not enough: the process may be suspended in between. So the version of the
 * kernels' stream, to which each takeover appends, is a fence that the log checks in the append's transaction. After a
 * takeover, the old kernel's appends fail with `LeaseLost`.
 *
 * If the previous holder never released the lease, `LeaseTakenOver` shuts it out before recovery closes its work.
 */
export const fencedLog = (
  log: EventLog.Service,
  owner: string,
  lease: HeldLease,
): Effect.Effect<EventLog.Service, AppendError> =>
  Effect.gen(function* () {
    const { takenFrom } = lease
    const current = yield* log.versionOf(STREAM, MAIN)
    // Check after reading the version: any later takeover then moves the version and breaks the fence.
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
  /** The version at which this kernel last held the lease. */
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
   * Retries an append while this kernel holds the lease: if several appends share a fence, the first moves it and the
   * others fail once.
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
