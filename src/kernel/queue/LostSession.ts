/** Cleans up after a runner's session that was declared lost: its plugin processes and their open requests. */

import { Effect } from "effect"
import type { AppendError, EventLog } from "../../events/log/EventLog.ts"
import type { Presence } from "../../events/log/Presence.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import * as Queue from "../../projections/queue/Queue.ts"
import * as Unfinished from "../../projections/unfinished/Unfinished.ts"
import * as OrphanProcesses from "../recovery/OrphanProcesses.ts"
import * as RecoveryPlan from "../recovery/RecoveryPlan.ts"
import { endsOfClaims } from "./ClaimEnds.ts"

/**
 * Ends the session's plugin processes on this machine, records the ends of all of them, and answers open host requests
 * of its tasks as unknown. Commands of its tasks and questions about them stay: whoever claims a task resumes it.
 */
export const cleanUp = (
  log: EventLog.Service,
  session: string,
  by: string,
): Effect.Effect<void, AppendError, Projector | Presence> =>
  Effect.gen(function* () {
    const projector = yield* Projector
    const { tasks } = yield* projector.current(Queue.projection)
    const own = new Set(
      Object.entries(tasks).flatMap(([task, { claim }]) => (claim?.session === session ? [task] : [])),
    )
    // Those that it made just before it was declared lost.
    for (const end of endsOfClaims(tasks, session, by)) yield* log.append(end)
    const { position } = yield* log.head
    // Not `current`: the projector would keep this state, and nobody else needs it.
    const state = yield* projector
      .stateAt(Unfinished.projection, position)
      .pipe(Effect.catchTag("PositionOutOfRange", Effect.die))
    const processes = Object.fromEntries(Object.entries(state.processes).filter(([, { kernel }]) => kernel === session))
    const swept = yield* OrphanProcesses.sweep(processes, { lostBy: session })
    for (const ending of RecoveryPlan.endingsOfSession(state, processes, swept, own))
      yield* log.append({ ...ending, actor: "kernel" })
  })
