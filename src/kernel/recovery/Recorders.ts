/** Whether the process that records a task is still there: it holds no lease, and ends its task itself. */

import * as os from "node:os"
import { Effect } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import { Presence, type WriterState } from "../../events/log/Presence.ts"
import type { Recorder } from "../../events/vocabulary/Tasks.ts"
import { isAlive } from "../../platform/LiveProcess.ts"

/**
 * How long a recorder that cannot be looked at may send no heartbeat before its tasks are closed, in milliseconds. Nobody waits
 * for that, and a program that computes sends none meanwhile.
 */
export const WATCH_MS = 30_000

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
