/** Watches recorders elsewhere (another machine or container), and closes the recordings of those that died. */

import { Effect } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import { Presence } from "../../events/log/Presence.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import type { Recorder } from "../../events/vocabulary/Tasks.ts"
import * as Recorders from "./Recorders.ts"
import * as StaleForks from "./StaleForks.ts"

/** A task with the process that records it. */
export interface Recording {
  readonly taskId: string
  readonly recorder: Recorder
}

/** Tasks whose recorder may be alive, and the identities of all such recorders, including those of forks. */
export interface Doubtful {
  readonly tasks: ReadonlyArray<Recording>
  readonly recorders: ReadonlyArray<Recorder>
}

/** Finds the recorders whose state one look does not show. */
export const doubtful = (
  recordings: ReadonlyArray<Recording>,
): Effect.Effect<Doubtful, LogError, EventLog | Presence> =>
  Effect.gen(function* () {
    const isUnknown = (recorder: Recorder) =>
      Effect.map(Recorders.stateOf(recorder), (state) => state === "unknown" && recorder.identity !== undefined)
    const tasks = yield* Effect.filter(recordings, ({ recorder }) => isUnknown(recorder))
    const log = yield* EventLog
    const all = tasks.map(({ recorder }) => recorder)
    for (const { name: timeline, forked } of yield* Timelines.list(log)) {
      const recorder = forked === null ? undefined : StaleForks.recorderOf(forked)
      if (recorder === undefined || !(yield* isUnknown(recorder))) continue
      const [closed] = yield* log.readPage({ timeline, types: ["TaskClosed"] }, 1)
      if (closed === undefined) all.push(recorder)
    }
    return { tasks, recorders: [...new Map(all.map((recorder) => [recorder.identity, recorder])).values()] }
  })

/**
 * Watches concurrently, and closes recordings whose recorders are gone. Ignores failures: the next program that opens
 * the log tries again.
 */
export const closeOnceGone = <E, R, E2, R2>(
  { tasks, recorders }: Doubtful,
  close: (left: Recording) => Effect.Effect<void, E, R>,
  closedFork: Parameters<typeof StaleForks.endAll<E2, R2, never>>[1],
): Effect.Effect<void, never, EventLog | Presence | R | R2> =>
  Effect.forEach(
    recorders,
    (recorder) =>
      Effect.gen(function* () {
        const { identity } = recorder
        if (identity === undefined || (yield* Recorders.watch(recorder))) return
        const log = yield* EventLog
        const isStill = ({ taskId }: Recording) =>
          Effect.map(
            Recorders.currentOf(log, taskId),
            (now) => now !== undefined && now !== "left" && now.identity === identity,
          )
        const left = yield* Effect.filter(
          tasks.filter((task) => task.recorder.identity === identity),
          isStill,
        )
        yield* Effect.forEach(left, close, { discard: true })
        yield* StaleForks.endAll(
          (forked) => Effect.succeed(StaleForks.recorderOf(forked)?.identity === identity),
          closedFork,
        )
        yield* (yield* Presence).forget([identity])
      }),
    { concurrency: "unbounded", discard: true },
  ).pipe(Effect.ignore)
