/** The tasks, and forks of tasks, that recorders left open, whose processes have ended. */

import { Effect } from "effect"
import * as Recorders from "../../kernel/recovery/Recorders.ts"
import * as StaleForks from "../../kernel/recovery/StaleForks.ts"
import { closeTask } from "../../kernel/recovery/Takeover.ts"
import * as Projector from "../../projections/projector/Projector.ts"
import * as OpenRecordings from "../../projections/unfinished/OpenRecordings.ts"
import * as Unfinished from "../../projections/unfinished/Unfinished.ts"

/**
 * Closes them as `abandoned`. A kernel that opens the log does the same. In a long log, what is open is known from a snapshot, and
 * only the openings and closings after it are read.
 */
export const abandon = Effect.gen(function* () {
  const projector = yield* Projector.Projector
  const open = Object.entries(yield* projector.current(OpenRecordings.projection))
  const left = open.filter(([, recorder]) => Recorders.isGone(recorder))
  yield* Effect.forEach(left, ([taskId]) => closeTask(taskId), { discard: true })
  // They have no measures to be scored by.
  yield* StaleForks.endAll(StaleForks.isLeftByRecorder, () => Effect.void)
}).pipe(Effect.provide(Projector.layerSharing(Unfinished.projection)))
