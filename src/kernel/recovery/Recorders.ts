/** Whether the process that records a task is still there: it holds no lease, and ends its task itself. */

import * as os from "node:os"
import { Effect } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import { Presence, type WriterState } from "../../events/log/Presence.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Recorder } from "../../events/vocabulary/Tasks.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { isAlive } from "../../platform/LiveProcess.ts"

/**
 * How long a recorder that cannot be looked at may send no heartbeat before its tasks are closed, in milliseconds. Nobody waits
 * for that, and a program that computes sends none meanwhile.
 */
export const WATCH_MS = 30_000

/** The process that records a task: `left` if none does and one may join; undefined if the task is not recorded. */
export const currentOf = (
  log: EventLog.Service,
  taskId: string,
): Effect.Effect<Recorder | "left" | undefined, LogError> =>
  Effect.gen(function* () {
    const { timeline } = log
    const [opened] = yield* log.readPage({ timeline, taskId, types: ["TaskOpened"] }, 1)
    let current: Recorder | "left" | undefined =
      opened !== undefined && is(opened, "TaskOpened") ? opened.payload.recorder : undefined
    // No other task has such events.
    if (current === undefined) return undefined
    yield* Pages.forEach(log.readPage, { timeline, taskId, types: ["RecorderJoined", "RecorderLeft"] }, (page) => {
      for (const event of page) current = is(event, "RecorderJoined") ? event.payload.recorder : "left"
    })
    return current
  })

/** Whether a recorder lives, as far as one look shows it. */
export const stateOf = (recorder: Recorder): Effect.Effect<WriterState, LogError, Presence> =>
  Effect.flatMap(Presence, ({ stateOf }) =>
    recorder.identity === undefined ? Effect.sync(() => stateByName(recorder)) : stateOf(recorder.identity),
  )

/** Whether a recorder lives; one whose state a look does not show is watched for a while. */
export const watch = (recorder: Recorder, watchMs: number = WATCH_MS): Effect.Effect<boolean, LogError, Presence> =>
  Effect.gen(function* () {
    const state = yield* stateOf(recorder)
    if (state !== "unknown" || recorder.identity === undefined) return state === "alive"
    return (yield* (yield* Presence).watch(recorder.identity, watchMs)) === "alive"
  })

/**
 * A recorder of an earlier version than 0.3.1 sends no heartbeat: all that is known of it is its machine's name and its process id. A
 * log of another machine is a copy: nobody writes to it.
 */
const stateByName = ({ host, pid }: Recorder): WriterState =>
  host === os.hostname() && isAlive(pid) ? "alive" : "gone"
