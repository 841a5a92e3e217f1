/** Finds out whether the process that records a task is alive. A recorder holds no lease; it closes its own task. */

import * as os from "node:os"
import { Effect } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import { Presence, type WriterState } from "../../events/log/Presence.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Recorder } from "../../events/vocabulary/Tasks.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { isAlive } from "../../platform/LiveProcess.ts"

/**
 * How long a recorder elsewhere may send no heartbeat before its tasks close, in milliseconds. Nobody waits for it, and
 * a busy program sends none.
 */
export const WATCH_MS = 30_000

/**
 * The process that records a task: `left` if another may join, as in a rollout; undefined if no recorder opened the
 * task.
 */
export const currentOf = (
  log: EventLog.Service,
  taskId: string,
): Effect.Effect<Recorder | "left" | undefined, LogError> =>
  Effect.gen(function* () {
    const { timeline } = log
    const [opened] = yield* log.readPage({ timeline, taskId, types: ["TaskOpened"] }, 1)
    const opening = opened !== undefined && is(opened, "TaskOpened") ? opened.payload : undefined
    // The rollout can be continued, which continues its episodes.
    if (opening?.rollout !== undefined) return "left"
    let current: Recorder | "left" | undefined = opening?.recorder
    // Only a recorded task has joins and leaves.
    if (current === undefined) return undefined
    yield* Pages.forEach(log.readPage, { timeline, taskId, types: ["RecorderJoined", "RecorderLeft"] }, (page) => {
      for (const event of page) current = is(event, "RecorderJoined") ? event.payload.recorder : "left"
    })
    return current
  })

export const stateOf = (recorder: Recorder): Effect.Effect<WriterState, LogError, Presence> =>
  Effect.flatMap(Presence, ({ stateOf }) =>
    recorder.identity === undefined ? Effect.sync(() => stateByName(recorder)) : stateOf(recorder.identity),
  )

/** Tells whether a recorder is alive. Watches the heartbeat if one look does not show it. */
export const watch = (recorder: Recorder, watchMs: number = WATCH_MS): Effect.Effect<boolean, LogError, Presence> =>
  Effect.gen(function* () {
    const state = yield* stateOf(recorder)
    if (state !== "unknown" || recorder.identity === undefined) return state === "alive"
    return (yield* (yield* Presence).watch(recorder.identity, watchMs)) === "alive"
  })

/** Recorders before 0.3.1 send no heartbeat. A log from another machine is a copy that nobody writes to. */
const stateByName = ({ host, pid }: Recorder): WriterState =>
  host === os.hostname() && isAlive(pid) ? "alive" : "gone"
