/** The tasks, and forks of tasks, that recorders left open, whose processes have ended. */

import { Effect, type Scope } from "effect"
import { Presence } from "../../events/log/Presence.ts"
import * as Closing from "../../kernel/recovery/Closing.ts"
import * as LeftRecordings from "../../kernel/recovery/LeftRecordings.ts"
import * as Recorders from "../../kernel/recovery/Recorders.ts"
import * as StaleForks from "../../kernel/recovery/StaleForks.ts"
import * as Projector from "../../projections/projector/Projector.ts"
import * as OpenRecordings from "../../projections/unfinished/OpenRecordings.ts"
import * as Unfinished from "../../projections/unfinished/Unfinished.ts"

/**
 * Closes them as `abandoned`. A kernel that opens the log does the same. In a long log, what is open is known from a snapshot, and
 * only the openings and closings after it are read.
 *
 * Of a recorder on another machine or in another container, one look does not tell whether it is gone. Those are watched until the
 * scope closes, while the caller continues.
 *
 * @param continued a task that stays open, because the caller is about to continue it
 */
export const abandon = (scope: Scope.Scope, continued?: string) =>
  Effect.gen(function* () {
    const projector = yield* Projector.Projector
    const open = Object.entries(yield* projector.current(OpenRecordings.projection))
    const recordings = open
      .filter(([taskId]) => taskId !== continued)
      .map(([taskId, recorder]) => ({ taskId, recorder }))
    const left = yield* Effect.filter(recordings, ({ recorder }) =>
      Effect.map(Recorders.stateOf(recorder), (state) => state === "gone"),
    )
    yield* Effect.forEach(left, ({ taskId }) => closeTask(taskId), { discard: true })
    yield* (yield* Presence).forget(left.flatMap(({ recorder: { identity } }) => identity ?? []))
    yield* StaleForks.endAll(StaleForks.isLeftByRecorder, unscored)
    const doubtful = yield* LeftRecordings.doubtful(recordings)
    if (doubtful.recorders.length === 0) return
    const closing = Effect.scoped(
      Effect.provide(
        LeftRecordings.closeOnceGone(doubtful, closeTask, unscored),
        Projector.layerSharing(Unfinished.projection),
      ),
    )
    yield* Effect.forkIn(closing, scope)
  }).pipe(Effect.provide(Projector.layerSharing(Unfinished.projection)))

const closeTask = (taskId: string) => Closing.closeTask(taskId, unscored)

/** Recordings have no measures to be scored by. */
const unscored = () => Effect.void
