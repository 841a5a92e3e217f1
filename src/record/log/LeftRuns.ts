/** Closes tasks and forks that dead recorders left open. */

import { Effect, type Scope } from "effect"
import { EventLog, Exact, type LogError } from "../../events/log/EventLog.ts"
import { Presence } from "../../events/log/Presence.ts"
import * as Closing from "../../kernel/recovery/Closing.ts"
import * as LeftRecordings from "../../kernel/recovery/LeftRecordings.ts"
import * as Recorders from "../../kernel/recovery/Recorders.ts"
import * as StaleForks from "../../kernel/recovery/StaleForks.ts"
import * as Projector from "../../projections/projector/Projector.ts"
import * as OpenRecordings from "../../projections/unfinished/OpenRecordings.ts"
import * as Unfinished from "../../projections/unfinished/Unfinished.ts"
import { defined } from "../../values/defined.ts"

/**
 * Closes the tasks as `abandoned`, as a kernel that opens the log does. A recorder on another machine or in another
 * container may still be alive, so a fiber watches it until the scope closes.
 *
 * @param continued a task to keep open, because the caller continues it next
 * @param isInherited whether the caller continues a recorder's tasks, which then stay open
 */
export const abandon = (
  scope: Scope.Scope,
  { continued, isInherited = () => Effect.succeed(false), onEnded = () => Effect.void }: Leaving = {},
) =>
  Effect.gen(function* () {
    const end = (left: LeftRecordings.Recording) =>
      Effect.flatMap(isInherited(left), (is) => (is ? release(left) : closeTask(left)))
    const projector = yield* Projector.Projector
    const open = Object.entries(yield* projector.current(OpenRecordings.projection))
    const recordings = open
      .filter(([taskId]) => taskId !== continued)
      .map(([taskId, recorder]) => ({ taskId, recorder }))
    const left = yield* Effect.filter(recordings, ({ recorder }) =>
      Effect.map(Recorders.stateOf(recorder), (state) => state === "gone"),
    )
    yield* Effect.forEach(left, end, { discard: true })
    yield* (yield* Presence).forget(left.flatMap(({ recorder: { identity } }) => identity ?? []))
    yield* StaleForks.endAll(StaleForks.isLeftByRecorder, unscored)
    const doubtful = yield* LeftRecordings.doubtful(recordings)
    if (doubtful.recorders.length === 0) return
    const closing = Effect.scoped(
      Effect.provide(
        LeftRecordings.closeOnceGone(doubtful, (left) => Effect.zipRight(end(left), onEnded(left.taskId)), unscored),
        Projector.layerSharing(Unfinished.projection),
      ),
    )
    yield* Effect.forkIn(closing, scope)
  }).pipe(Effect.provide(Projector.layerSharing(Unfinished.projection)))

export interface Leaving {
  readonly continued?: string | undefined
  readonly isInherited?: (left: LeftRecordings.Recording) => Effect.Effect<boolean, LogError, EventLog>
  /** Called with each task that a watched recorder turned out to have abandoned, after it was closed or left. */
  readonly onEnded?: (taskId: string) => Effect.Effect<unknown, LogError, EventLog>
}

const closeTask = ({ taskId }: LeftRecordings.Recording) => Closing.closeTask(taskId, unscored, "its recorder ended")

/** Records that a dead recorder left a task. Does nothing if the task changed in the meantime. */
const release = ({ taskId, recorder: { identity } }: LeftRecordings.Recording) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const stream = `task/${taskId}`
    const [opened] = yield* log.readPage({ stream, timeline: log.timeline }, 1)
    const expected = Exact(yield* log.versionOf(stream))
    const current = yield* Recorders.currentOf(log, taskId)
    if (opened === undefined || current === undefined || current === "left" || current.identity !== identity) return
    const event = { type: "RecorderLeft", payload: defined({ identity }) } as const
    yield* log.append({ stream, taskId, actor: opened.actor, expected, events: [event] })
  }).pipe(Effect.catchTag("VersionConflict", () => Effect.void))

/** Recordings have no measures. */
const unscored = () => Effect.void
