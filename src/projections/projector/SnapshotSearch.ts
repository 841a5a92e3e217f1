/** Finds and verifies the snapshot from which a fold starts. */

import { Effect, Either, Option } from "effect"
import { type EventLog, type LogError, MAIN } from "../../events/log/EventLog.ts"
import type { FoundSnapshot, Snapshots } from "../../events/log/Snapshots.ts"
import type { Positioned } from "../fold/Projection.ts"
import * as compression from "./compression.ts"
import type { SnapshotSource } from "./SnapshotSource.ts"
import type { StoredStates, Unread } from "./StoredStates.ts"

export interface SnapshotSearch<S> {
  /** Returns the state of the highest valid snapshot in a range (`after` exclusive, `until` inclusive). */
  readonly nearest: (range: {
    readonly after: number
    readonly until: number
    readonly epoch: string
  }) => Effect.Effect<Option.Option<Positioned<S>>>
  /**
   * Returns the position of the newest snapshot of this projection itself, without verifying its state; 0 if there is
   * none, or if this log does not have its event.
   */
  readonly reach: (epoch: string) => Effect.Effect<number, LogError>
}

interface Searched {
  readonly log: EventLog.Service
  readonly snapshots: Snapshots.Service
  readonly states: StoredStates
  readonly own: SnapshotSource
  /** Snapshots of combined projections that contain the state. */
  readonly shared: ReadonlyArray<SnapshotSource>
}

export const over = <S>({ log, snapshots, states, own, shared }: Searched): SnapshotSearch<S> => {
  const nearest: SnapshotSearch<S>["nearest"] = ({ after, until, epoch }) =>
    Effect.gen(function* () {
      const found = new Map<SnapshotSource, FoundSnapshot>()
      const look = (source: SnapshotSource, below: number) =>
        Effect.map(snapshots.nearest(source.seriesIn(epoch), below), (snapshot) => {
          found.delete(source)
          if (Option.isSome(snapshot) && snapshot.value.position > after) found.set(source, snapshot.value)
        })
      const highest = Math.min(until, log.spans[0]?.until ?? 0)
      if (highest <= after) return Option.none()
      for (const source of [own, ...shared]) yield* look(source, highest)
      for (;;) {
        const [next] = [...found].sort(([, a], [, b]) => b.position - a.position)
        if (next === undefined) return Option.none()
        const [source, snapshot] = next
        const { position } = snapshot
        const state = yield* verified(source, epoch, snapshot)
        // The snapshot is authentic and its hashes hold, so this projection wrote it with this state schema.
        if (Either.isRight(state)) return Option.some({ position, state: state.right as S })
        yield* Effect.ignore(snapshots.forget(source.seriesIn(epoch), position, state.left))
        yield* look(source, position - 1)
      }
      // If snapshots cannot be read, fold from the events. If they cannot be read either, that read reports the error.
    }).pipe(Effect.catchAll(() => Effect.succeedNone))

  /** The state of a snapshot, if the log wrote it, still has its event, and every hash holds. */
  const verified = (
    { seriesIn, field }: SnapshotSource,
    epoch: string,
    snapshot: FoundSnapshot,
  ): Effect.Effect<Either.Either<unknown, Unread>, LogError> =>
    Effect.gen(function* () {
      if (!(yield* isOfThisLog(snapshot))) return Either.left([])
      const text = compression.decompress(snapshot.root, snapshot.stateHash)
      if (Option.isNone(text)) return Either.left([])
      return yield* states.read(text.value, (digests) => snapshots.parts(seriesIn(epoch), digests), field)
    })

  /** Whether the log wrote a snapshot and still has its event. */
  const isOfThisLog = ({ position, eventHash, authentic }: FoundSnapshot): Effect.Effect<boolean, LogError> =>
    authentic
      ? Effect.map(
          log.readPage({ after: position - 1, until: position, timeline: MAIN }, 1),
          ([event]) => event?.hash === eventHash,
        )
      : Effect.succeed(false)

  const reach: SnapshotSearch<S>["reach"] = (epoch) =>
    Effect.gen(function* () {
      const found = yield* snapshots.nearest(own.seriesIn(epoch), Number.MAX_SAFE_INTEGER)
      if (Option.isNone(found)) return 0
      return (yield* isOfThisLog(found.value)) ? found.value.position : 0
    })

  return { nearest, reach }
}
