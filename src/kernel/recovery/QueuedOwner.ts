/** Who works on the tasks of the queue. A kernel that has no claims leaves these tasks to the runners. */

import { Effect } from "effect"
import { type AppendError, EventLog, Exact, type LogError } from "../../events/log/EventLog.ts"
import { Presence } from "../../events/log/Presence.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import * as Queue from "../../projections/queue/Queue.ts"
import * as Tasks from "../../projections/state/Tasks.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { closeTask } from "./Takeover.ts"

/** The open queued task that a task is, or descends from; undefined if there is none. */
export const queuedAbove = (taskId: string): Effect.Effect<string | undefined, LogError, Projector> =>
  Effect.gen(function* () {
    const projector = yield* Projector
    const { tasks: queued } = yield* projector.current(Queue.projection)
    if (Object.keys(queued).length === 0) return undefined
    const tasks = yield* projector.current(Tasks.projection)
    const seen = new Set<string>()
    for (let at: string | undefined = taskId; at !== undefined && !seen.has(at); ) {
      if (Object.hasOwn(queued, at)) return at
      seen.add(at)
      at = SafeRecord.get(tasks, at)?.parent?.taskId
    }
    return undefined
  })

/** How long to watch the heartbeat of a runner elsewhere, in milliseconds. */
const WATCH_MS = 5_000

/**
 * Closes a cancelled task, unless a runner that may live works on it or on a task above it: that runner closes it. If
 * the runner is gone, its claim ends first, so that a frozen one appends nothing to the closed task.
 */
export const closeUnowned = (
  taskId: string,
  isWorkedOn: (taskId: string) => boolean,
): Effect.Effect<void, AppendError, EventLog | Projector | Presence> =>
  Effect.gen(function* () {
    const root = yield* queuedAbove(taskId)
    const { tasks, runners } = yield* (yield* Projector).current(Queue.projection)
    const claim = root === undefined ? undefined : SafeRecord.get(tasks, root)?.claim
    if (root !== undefined && claim !== undefined) {
      const isListed = Object.hasOwn(runners, claim.session)
      if (isListed && (yield* (yield* Presence).watch(claim.session, WATCH_MS)) === "alive") return
      const payload = { task: root, claim: claim.claim, by: "kernel" }
      yield* (yield* EventLog)
        .append({
          stream: Queue.claimStream(root, claim.claim),
          actor: "kernel",
          expected: Exact(1),
          events: [{ type: "TaskClaimLost", payload }],
        })
        // It ended already.
        .pipe(Effect.catchTag("VersionConflict", () => Effect.void))
    }
    yield* closeTask(taskId, isWorkedOn)
  })
