/**
 * Decides when the projector writes snapshots. Snapshots are a cache: if one is missing, outdated or tampered with, the
 * fold computes the same state from the events (`SnapshotSearch`).
 */

import { Effect, Option, type Scope } from "effect"
import { type DiskFull, type EventLog, type LogError, MAIN } from "../../events/log/EventLog.ts"
import type { Snapshots } from "../../events/log/Snapshots.ts"
import { yieldToEventLoop } from "../../platform/yieldToEventLoop.ts"
import type { Projection } from "../fold/Projection.ts"
import * as ChunkCache from "./ChunkCache.ts"
import * as compression from "./compression.ts"
import * as SnapshotSearch from "./SnapshotSearch.ts"
import * as SnapshotSource from "./SnapshotSource.ts"
import * as StateChunks from "./StateChunks.ts"
import * as StoredStates from "./StoredStates.ts"

/**
 * The snapshots of one projection. A fold starts at the nearest valid snapshot below its target, and writes new ones on
 * its way.
 *
 * Only `main` has snapshots. A fork uses them up to the point where it left `main`; it folds its own events, which are
 * few, each time.
 */
export interface SnapshotStrategy<S> extends SnapshotSearch.SnapshotSearch<S> {
  /**
   * Reports one folded page. Writes a due snapshot in the background. The fold waits only if the previous snapshot is
   * still being written.
   */
  readonly onProgress: (sinceSnapshot: FoldProgress, step: Step) => Effect.Effect<void>
  /** Stores a state, however few its events are. */
  readonly store: (state: StateToStore, epoch: string) => Effect.Effect<void, LogError | DiskFull>
}

export interface StateToStore {
  /** The position and the hash of the last event. */
  readonly position: number
  readonly hash: string
  /** The state for storage, called before the fold continues; see `StateBuilder.chunked`. */
  readonly chunked: () => unknown
}

export interface Step extends StateToStore {
  readonly events: number
  /** The size of their payloads as JSON text. */
  readonly bytes: number
}

/** Events folded since the last snapshot, and the size of their payloads in bytes. */
export interface FoldProgress {
  events: number
  bytes: number
  /** The epoch (see `Snapshots`) of the fold's start. */
  readonly epoch: string
}

/** The progress at a snapshot, or at the beginning of the log. */
export const start = (epoch: string): FoldProgress => ({ events: 0, bytes: 0, epoch })

/** The minimum distance between two snapshots. */
export interface SnapshotPolicy {
  /** Minimum number of events. */
  readonly minEvents: number
  /** Minimum bytes of events per byte that the second snapshot adds to the store. */
  readonly perByteStored: number
  /** Minimum bytes of events per byte of text serialized for the second snapshot. */
  readonly perByteWritten: number
}

/**
 * A snapshot takes at most a quarter of its events' bytes on disk, and less time to write than its events take to fold.
 */
export const POLICY: SnapshotPolicy = { minEvents: 500, perByteStored: 4, perByteWritten: 1 }

export const none = <S>(): SnapshotStrategy<S> => ({
  nearest: () => Effect.succeedNone,
  onProgress: () => Effect.void,
  store: () => Effect.void,
  reach: () => Effect.succeed(0),
})

/** Options of all strategies of a log. */
export interface StrategyOptions {
  /** When snapshots are written. Default: `POLICY`. */
  readonly policy?: SnapshotPolicy
  /** Combined projections: a fold of one of their parts may start at a snapshot of the whole. Default: none. */
  readonly sharing?: ReadonlyArray<SnapshotSource.Combined>
}

/** Makes the strategy of each projection. Writes one snapshot at a time; closing the scope waits for it. */
export const makeAll = (
  log: EventLog.Service,
  snapshots: Snapshots.Service,
  { policy = POLICY, sharing = [] }: StrategyOptions = {},
) =>
  Effect.map(Effect.scope, (scope) => {
    const writeLock = Effect.unsafeMakeSemaphore(1)
    const cache = ChunkCache.make()
    return <S>(projection: Projection<S>): SnapshotStrategy<S> =>
      make(projection, { log, snapshots, policy, cache, writeLock, scope, sharing })
  })

interface Shared {
  readonly log: EventLog.Service
  readonly snapshots: Snapshots.Service
  readonly policy: SnapshotPolicy
  readonly cache: ChunkCache.ChunkCache
  readonly writeLock: Effect.Semaphore
  readonly scope: Scope.Scope
  readonly sharing: ReadonlyArray<SnapshotSource.Combined>
}

const make = <S>(
  projection: Projection<S>,
  { log, snapshots, policy, cache, writeLock, scope, sharing }: Shared,
): SnapshotStrategy<S> => {
  const own = SnapshotSource.own(projection, snapshots.upcastVersions)
  const { seriesIn } = own
  const shared = SnapshotSource.sharing(sharing, projection, snapshots.upcastVersions)
  const states = StoredStates.make(cache)
  /** Bytes of events before the next snapshot, estimated from the last one. */
  let requiredBytes = 0

  const isDue = ({ events, bytes }: FoldProgress) => events >= policy.minEvents && bytes >= requiredBytes

  const store: SnapshotStrategy<S>["store"] = ({ position, hash, chunked }, epoch) =>
    Effect.suspend(() => {
      if (log.timeline !== MAIN || position === 0) return Effect.void
      const pending = { position, hash, state: StateChunks.split(chunked()), events: 0, bytes: WORTH_ANY_SIZE, epoch }
      return writeLock.withPermits(1)(write(pending))
    })

  const onProgress: SnapshotStrategy<S>["onProgress"] = (sinceSnapshot, step) =>
    Effect.suspend(() => {
      // A snapshot is at an event, never within one.
      if (log.timeline !== MAIN || step.events === 0 || !Number.isInteger(step.position)) return Effect.void
      sinceSnapshot.events += step.events
      sinceSnapshot.bytes += step.bytes
      if (!isDue(sinceSnapshot)) return Effect.void
      return Effect.uninterruptibleMask((restore) =>
        Effect.zipRight(
          restore(writeLock.take(1)),
          Effect.sync(() => captureIfDue(sinceSnapshot, step)).pipe(
            Effect.onError(() => writeLock.release(1)),
            Effect.flatMap((pending) =>
              Effect.forkIn(Effect.ensuring(writeIfDue(sinceSnapshot, pending), writeLock.release(1)), scope),
            ),
          ),
        ),
      )
    })

  /** Captures the state before the fold continues, to store it later. */
  const captureIfDue = (
    sinceSnapshot: FoldProgress,
    { position, hash, chunked }: Step,
  ): PendingSnapshot | undefined => {
    // The previous snapshot may have raised `requiredBytes` meanwhile.
    if (!isDue(sinceSnapshot)) return undefined
    const { events, bytes, epoch } = sinceSnapshot
    sinceSnapshot.events = 0
    sinceSnapshot.bytes = 0
    return { position, hash, state: StateChunks.split(chunked()), events, bytes, epoch }
  }

  const writeIfDue = (sinceSnapshot: FoldProgress, pending: PendingSnapshot | undefined): Effect.Effect<void> => {
    if (pending === undefined) return Effect.void
    return write(pending).pipe(
      Effect.map((settled) => {
        if (settled) return
        sinceSnapshot.events += pending.events
        sinceSnapshot.bytes += pending.bytes
      }),
      Effect.ignore, // On a busy log or a full disk the snapshot is skipped; nothing else fails.
    )
  }

  /** Writes a snapshot unless it costs more than its events are worth. Returns false if it needs more events. */
  const write = ({
    position,
    hash,
    state,
    bytes,
    epoch,
  }: PendingSnapshot): Effect.Effect<boolean, LogError | DiskFull> =>
    Effect.gen(function* () {
      const written = yield* states.write(state)
      if (Option.isNone(written)) return true // The state is not plain JSON, and will hardly become so: give up.
      const { root, chunks, parts, work } = written.value
      requiredBytes = policy.perByteWritten * work
      if (bytes < requiredBytes) return false
      const digests = [...chunks.keys()]
      // If the lookup fails because the tables were dropped, write all chunks.
      const series = seriesIn(epoch)
      const missing = yield* Effect.orElseSucceed(snapshots.missing(series, digests), () => digests)
      const added = new Map<string, Uint8Array>()
      let stored = root.bytes.length
      for (const digest of missing) {
        const chunk = chunks.get(digest)
        const part = parts.get(digest) ?? (chunk && compression.compress(StateChunks.textOf(chunk)).bytes)
        if (part === undefined) continue
        if (!parts.has(digest)) yield* yieldToEventLoop
        added.set(digest, part)
        stored += part.length
      }
      requiredBytes = Math.max(requiredBytes, policy.perByteStored * stored)
      if (bytes < requiredBytes) return false
      const snapshot = { position, eventHash: hash, stateHash: root.digest, root: root.bytes }
      yield* snapshots.save(series, snapshot, added)
      return true
    })

  return { ...SnapshotSearch.over<S>({ log, snapshots, states, own, shared }), onProgress, store }
}

/** Makes a snapshot of any size due. */
const WORTH_ANY_SIZE = Number.POSITIVE_INFINITY

interface PendingSnapshot {
  readonly position: number
  readonly hash: string
  readonly state: StateChunks.StateChunks
  /** Counted since the previous snapshot. */
  readonly events: number
  readonly bytes: number
  readonly epoch: string
}
