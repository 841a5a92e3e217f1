/** Fences the appends of a runner: those of a task by its claim, all others by the runner's session. */

import { Effect } from "effect"
import { type AppendError, type EventLog, type Fence, LeaseLost, MAIN } from "../../events/log/EventLog.ts"
import { claimStream, runnerStream } from "../../projections/queue/Queue.ts"

/** A claim of a task: its id is in the name of its stream, so that no other claim can stand for it. */
export interface Claim {
  readonly task: string
  readonly claim: string
}

/**
 * The log for the appends of one task under a claim. The log checks in the append's transaction that the claim's stream
 * has its first event only: whoever takes the task over, or gives it back, appends to that stream. A claim that the
 * server lost with its last commits is no claim either. Then the append writes nothing, and fails with `LeaseLost`.
 */
export const ofClaim = (
  log: EventLog.Service,
  runner: string,
  { task, claim }: Claim,
  lost: Effect.Effect<void>,
): EventLog.Service =>
  fencedBy(
    log,
    claimStream(task, claim),
    Effect.zipRight(lost, new LeaseLost({ log: log.name, owner: runner, claimed: task })),
  )

/** The log for all other appends of a session, which fail once somebody declared the session lost. */
export const ofSession = (log: EventLog.Service, runner: string, session: string): EventLog.Service =>
  fencedBy(log, runnerStream(session), new LeaseLost({ log: log.name, owner: runner }))

const fencedBy = (
  log: EventLog.Service,
  stream: string,
  refused: Effect.Effect<never, AppendError>,
): EventLog.Service => {
  const fence: Fence = { timeline: MAIN, stream, version: 1 }
  return {
    ...log,
    append: (request) =>
      // A narrower fence of the caller stands: the claims of a lost session end, too.
      request.fence !== undefined
        ? log.append(request)
        : log
            .append({ ...request, fence })
            .pipe(
              Effect.catchTag("VersionConflict", (conflict) =>
                conflict.stream === stream && request.stream !== stream ? refused : Effect.fail(conflict),
              ),
            ),
  }
}
