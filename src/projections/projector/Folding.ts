/** A projection's fold between calls: the last state, and the position from which the next fold continues. */

import { Cause, Effect, Exit, Option } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import type { Positioned, Projection } from "../fold/Projection.ts"
import * as PagedFold from "./PagedFold.ts"
import * as SnapshotStrategy from "./SnapshotStrategy.ts"

/** The fold of one projection over one timeline. */
export interface Folding<S> {
  readonly projection: Projection<S>
  readonly strategy: SnapshotStrategy.SnapshotStrategy<S>
  latest: Positioned<S>
  /** The position up to which `latest` lacks no event. */
  foldedTo: number
  /** The turn of the event loop in which `latest` was found to be current. */
  currentIn: number | undefined
  sinceSnapshot: SnapshotStrategy.FoldProgress
  /** Prevents two callers from folding the same tail twice. */
  readonly lock: Effect.Semaphore
}

/** A fold that has read nothing. */
export const make = <S>(projection: Projection<S>, strategy: SnapshotStrategy.SnapshotStrategy<S>): Folding<S> => ({
  projection,
  strategy,
  latest: { position: 0, state: projection.initial },
  foldedTo: 0,
  currentIn: undefined,
  sinceSnapshot: SnapshotStrategy.start(""),
  lock: Effect.unsafeMakeSemaphore(1),
})

/** Forgets the folded state: in this epoch of the log, earlier events decode differently. */
export const discard = <S>(folding: Folding<S>, epoch: string): void => {
  folding.latest = { position: 0, state: folding.projection.initial }
  folding.currentIn = undefined
  folding.foldedTo = 0
  folding.sinceSnapshot = SnapshotStrategy.start(epoch)
}

/** Keeps the folded state, also after a read error or an interrupt, but not after a defect. */
export const keep = <S>(
  folding: Folding<S>,
  sinceSnapshot: SnapshotStrategy.FoldProgress,
  progress: PagedFold.Progress<S>,
  exit: Exit.Exit<void, LogError>,
  head: number,
) => {
  const isWhole = Exit.isSuccess(exit) || !Cause.isDie(exit.cause)
  // `discard` may have forgotten everything in the meantime.
  if (!isWhole || folding.sinceSnapshot !== sinceSnapshot) return
  folding.latest = PagedFold.reachedBy(progress)
  folding.currentIn = undefined
  folding.foldedTo = Exit.isSuccess(exit) ? Math.max(head, progress.position) : progress.position
}

/** The state from which a fold to `at` starts, and the progress since the last snapshot below it. */
export const startBelow = <S>({ projection, strategy, latest, sinceSnapshot }: Folding<S>, at: number) =>
  Effect.gen(function* () {
    const known =
      latest.position <= at
        ? { from: latest, sinceSnapshot: { ...sinceSnapshot } }
        : {
            from: { position: 0, state: projection.initial },
            sinceSnapshot: SnapshotStrategy.start(sinceSnapshot.epoch),
          }
    const after = known.from.position
    if (at - after >= SnapshotStrategy.POLICY.minEvents) {
      const snapshot = yield* strategy.nearest({ after, until: at, epoch: sinceSnapshot.epoch })
      if (Option.isSome(snapshot)) {
        return {
          progress: PagedFold.startAt(projection, snapshot.value, true),
          sinceSnapshot: SnapshotStrategy.start(sinceSnapshot.epoch),
        }
      }
    }
    return { progress: PagedFold.startAt(projection, known.from, false), sinceSnapshot: known.sinceSnapshot }
  })
