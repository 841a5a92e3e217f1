/** Sends the heartbeats of a runner's session from a thread of its own, because a busy main thread sends none. */

import { Effect, type Scope } from "effect"
import { monotonicNow } from "../../../platform/ProcessIdentity.ts"
import * as Threads from "../../../platform/threads/Threads.ts"
import type { LogError } from "../../log/EventLog.ts"
import type { Database } from "../server/connection.ts"
import { MARKS, type Marks, send } from "./sending.ts"

export interface Beats {
  /** When the last heartbeat that arrived was sent, by the machine's monotonic clock in milliseconds. */
  readonly lastAt: () => number
  /** The connection of the heartbeats broke, and no other took its place yet. */
  readonly isUnconnected: () => boolean
  /** No heartbeat follows: the thread ended. */
  readonly haveEnded: () => boolean
}

/** The main thread says this often that it runs. In milliseconds. */
const RUNS_EVERY_MS = 500

const LOOK_EVERY_MS = 10

/** Starts the heartbeats, and waits for the first. They end with the scope. */
export const start = (
  { address, queryOnce }: Database,
  identity: string,
): Effect.Effect<Beats, LogError, Scope.Scope> =>
  Effect.gen(function* () {
    const marks: Marks = new Float64Array(new SharedArrayBuffer(MARKS * Float64Array.BYTES_PER_ELEMENT))
    const runs = () => {
      marks[1] = monotonicNow()
    }
    runs()
    yield* Effect.acquireRelease(
      Effect.sync(() => setInterval(runs, RUNS_EVERY_MS).unref()),
      (timer) => Effect.sync(() => clearInterval(timer)),
    )
    const given = { address, identity, marks }
    const lastAt = () => marks[0] ?? 0
    const isUnconnected = () => marks[2] === 1
    const forget = Effect.promise(() => queryOnce(FORGET, [identity]).catch(() => {}))
    yield* Effect.addFinalizer(() => forget)
    const thread = yield* Threads.lasting("beats", given)
    if (thread !== undefined) {
      const hasBegun = () => lastAt() > 0 || thread.death() !== undefined
      yield* Effect.repeat(Effect.sleep(LOOK_EVERY_MS), { until: hasBegun })
      if (thread.death() === undefined) return { lastAt, isUnconnected, haveEnded: () => thread.death() !== undefined }
    }
    // The sources have no thread, nor has a program that bundles Hindcast. After a failure, this one has a typed error.
    yield* send(given)
    return { lastAt, isUnconnected, haveEnded: () => false }
  })

/** Otherwise, others wait until it becomes stale. */
const FORGET = "DELETE FROM heartbeats WHERE identity = $1"
