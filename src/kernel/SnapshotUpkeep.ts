/** Keeps the snapshots of the whole state near the head of the log while a kernel works on it. */

import { Duration, Effect, type Scope } from "effect"
import { EventLog } from "../events/log/EventLog.ts"
import { FoldWatch, unwatched } from "../projections/projector/FoldWatch.ts"
import { Projector } from "../projections/projector/Projector.ts"
import * as KeptSnapshots from "../projections/unfinished/KeptSnapshots.ts"

/** So many new events are worth a new snapshot: a reader folds them in some 50 ms. */
const MIN_EVENTS = 10_000

/** How often the head is looked at, at most. */
const INTERVAL = Duration.seconds(5)

/** The least share of its time that the kernel has for other work: a snapshot of a large state takes a second. */
const OTHER_WORK = 20

/** Stores a snapshot whenever the log has grown enough, until the scope closes. */
export const start = (interval = INTERVAL): Effect.Effect<void, never, EventLog | Projector | Scope.Scope> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const projector = yield* Projector
    let stored = 0

    const storeIfDue = Effect.gen(function* () {
      const { position } = yield* log.head
      if (position - stored < MIN_EVENTS) return
      stored = Math.max(stored, yield* KeptSnapshots.reach(projector))
      if (position - stored < MIN_EVENTS) return
      yield* KeptSnapshots.store(projector)
      stored = position
    })

    const storeAndWait = Effect.gen(function* () {
      // On a busy log or a full disk there is no snapshot; nothing else depends on it.
      const [took] = yield* Effect.timed(Effect.ignore(storeIfDue))
      yield* Effect.sleep(Duration.max(interval, Duration.times(took, OTHER_WORK)))
    })

    // Nobody waits for these folds: a progress line would be in the way of what the program shows.
    yield* Effect.forkScoped(Effect.provideService(Effect.forever(storeAndWait), FoldWatch, unwatched))
  })
