/** Keeps the snapshots of the whole state near the head of the log while a kernel works on it. */

import { Duration, Effect, type Scope } from "effect"
import { EventLog, type LogError } from "../events/log/EventLog.ts"
import { FoldWatch, unwatched } from "../projections/projector/FoldWatch.ts"
import { Projector } from "../projections/projector/Projector.ts"
import * as KeptSnapshots from "../projections/unfinished/KeptSnapshots.ts"

/** A snapshot is due after this many events: a reader folds them in some 50 ms. */
const MIN_EVENTS = 10_000

const INTERVAL = Duration.seconds(5)

/**
 * The kernel's minimum work after a snapshot, as a multiple of the snapshot's duration: a large state takes a second.
 */
const OTHER_WORK = 20

/** @param isOnDuty whether this kernel stores a snapshot that is due, or leaves it to another one */
export const start = (
  interval = INTERVAL,
  isOnDuty: Effect.Effect<boolean, LogError, Projector> = Effect.succeed(true),
): Effect.Effect<void, never, EventLog | Projector | Scope.Scope> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const projector = yield* Projector
    let stored = 0

    const storeIfDue = Effect.gen(function* () {
      const { position } = yield* log.head
      if (position - stored < MIN_EVENTS) return
      stored = Math.max(stored, yield* KeptSnapshots.reach(projector))
      if (position - stored < MIN_EVENTS) return
      if (!(yield* isOnDuty)) return
      yield* KeptSnapshots.store(projector)
      stored = position
    })

    const storeAndWait = Effect.gen(function* () {
      // A busy log or a full disk only costs the snapshot; nothing else depends on it.
      const [took] = yield* Effect.timed(Effect.ignore(storeIfDue))
      yield* Effect.sleep(Duration.max(interval, Duration.times(took, OTHER_WORK)))
    })

    // Nobody waits for these folds: a progress line would disturb the program's output.
    yield* Effect.forkScoped(Effect.provideService(Effect.forever(storeAndWait), FoldWatch, unwatched))
  })
