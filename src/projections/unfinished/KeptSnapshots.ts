/** Keeps snapshots near a log's head, so that queries over the whole log have few events to fold. */

import { Effect } from "effect"
import type { DiskFull, LogError } from "../../events/log/EventLog.ts"
import type { ProjectorService } from "../projector/Projector.ts"
import * as PendingConfirmations from "../state/PendingConfirmations.ts"
import * as ScoreSets from "../state/ScoreSets.ts"
import * as Unfinished from "./Unfinished.ts"

/** The position of the snapshot of the whole state; 0 if there is none. */
export const reach = (projector: ProjectorService): Effect.Effect<number, LogError> =>
  projector.snapshotAt(Unfinished.projection)

/** Stores snapshots at the head: of the whole state, the score sets, and the asked confirmations. */
export const store = (projector: ProjectorService): Effect.Effect<number, LogError | DiskFull> =>
  Effect.gen(function* () {
    yield* projector.storeSnapshot(ScoreSets.projection)
    yield* projector.storeSnapshot(PendingConfirmations.asked)
    return yield* projector.storeSnapshot(Unfinished.projection)
  })
