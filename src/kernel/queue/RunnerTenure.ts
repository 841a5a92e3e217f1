/** A runner's right to act on a log, next to other runners: its session, and its claims of tasks. */

import { Effect } from "effect"
import { type AppendError, EventLog, Exact } from "../../events/log/EventLog.ts"
import type { RunnerSession } from "../../events/log/RunnerSessions.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import { onDuty } from "../../projections/queue/Duties.ts"
import * as Queue from "../../projections/queue/Queue.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { Doubtful } from "../recovery/LeftRecordings.ts"
import { closeTask } from "../recovery/Takeover.ts"
import type { Tenure } from "../recovery/Tenure.ts"
import { endOfClaim } from "./ClaimEnds.ts"
import * as ClaimFence from "./ClaimFence.ts"
import type * as Ownership from "./Ownership.ts"
import * as Registration from "./Registration.ts"

/** The claims that this process has, by task. */
export type Claims = Map<string, ClaimFence.Claim>

/**
 * The right of one of several runners. It recovers nothing at its start: whoever claims a task continues it.
 *
 * @param lost runs when the log has refused an append of a task
 * @param after see `Registration.register`
 */
export const ofSession = (
  log: EventLog.Service,
  { lease }: RunnerSession,
  runner: Ownership.Runner,
  claims: Claims,
  lost: (task: string) => Effect.Effect<void>,
  after?: string,
): Effect.Effect<Tenure, AppendError> =>
  Effect.as(Registration.register(log, runner, lease.identity, after), {
    lease,
    log: ClaimFence.ofSession(log, runner.name, lease.identity),
    logOf: (log, task) => {
      const claim = claims.get(task)
      return claim === undefined ? log : ClaimFence.ofClaim(log, runner.name, claim, lost(task))
    },
    recover: Effect.succeed(NOTHING),
    isOnDuty: Effect.map(
      Effect.flatMap(Projector, (projector) => projector.current(Queue.projection)),
      ({ runners }) => onDuty(runners) === lease.identity,
    ),
    cancelled: closeUnclaimed(runner.name),
  })

const NOTHING: Doubtful = { tasks: [], recorders: [] }

/** Closes a cancelled task of the queue that nobody works on. Its owner closes any other, or the next kernel does. */
const closeUnclaimed =
  (runner: string) =>
  (taskId: string): Effect.Effect<void, AppendError, EventLog | Projector> =>
    Effect.gen(function* () {
      const { tasks, runners } = yield* (yield* Projector).current(Queue.projection)
      const queued = SafeRecord.get(tasks, taskId)
      if (queued === undefined) return
      if (queued.claim !== undefined) {
        if (Object.hasOwn(runners, queued.claim.session)) return
        // A frozen owner must not append to the closed task. Whoever else ends the claim closes the task.
        const ended =
          queued.claim.ended === true ||
          (yield* (yield* EventLog)
            .append({ ...endOfClaim(taskId, queued.claim.claim, runner), expected: Exact(1) })
            .pipe(
              Effect.as(true),
              Effect.catchTag("VersionConflict", () => Effect.succeed(false)),
            ))
        if (!ended) return
      }
      yield* closeTask(taskId)
    })
