/**
 * When the projector writes snapshots, and which snapshot a fold starts from. Snapshots are a cache: if one is missing,
 * outdated or tampered with, the fold comes to the same state from the events.
 */

import { Effect, Option, type Scope } from "effect"
import { type DiskFull, type EventLog, type LogError, MAIN } from "../../events/log/EventLog.ts"
import type { FoundSnapshot, Snapshots } from "../../events/log/Snapshots.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { yieldToEventLoop } from "../../platform/yieldToEventLoop.ts"
import type { Positioned, Projection } from "../fold/Projection.ts"
import * as ChunkCache from "./ChunkCache.ts"
import * as compression from "./compression.ts"
import * as SnapshotSource from "./SnapshotSource.ts"
import * as StateChunks from "./StateChunks.ts"
import * as StoredStates from "./StoredStates.ts"

/**
 * The snapshots of one projection. A fold starts at the nearest valid snapshot below its target, and writes new ones on
 * its way.
 *
 * Only `main` has snapshots. A fork has `main`'s states up to the point where it left `main`, and uses its snapshots up
 * to there. The events after that are few, and are folded each time.
 */
export interface SnapshotStrategy<S> {
  /** The state of the highest valid snapshot in a range (`after` exclusive, `until` inclusive). */
  readonly nearest: (range: {
    readonly after: number
    readonly until: number
    readonly epoch: string
  }) => Effect.Effect<Option.Option<Positioned<S>>>
  /**
   * Reports one folded page. If a snapshot is due, it is written in the background. The fold waits only if the previous
   * snapshot is still being written.
   */
  readonly onProgress: (sinceSnapshot: FoldProgress, step: Step) => Effect.Effect<void>
  /** Stores a state, however few its events are. */
  readonly store: (state: StateToStore, epoch: string) => Effect.Effect<void, LogError | DiskFull>
  /** The position of the newest snapshot of this projection itself, which has not been verified; 0 if there is none. */
  readonly reach: (epoch: string) => Effect.Effect<number, LogError>
}

/** The state that a fold has reached. */
export interface StateToStore {
  /** The position and the hash of the last event. */
  readonly position: number
  readonly hash: string
  /** The state, for storage. Called before the fold goes on; see `StateBuilder.chunked`. */
  readonly chunked: () => unknown
}

/** One folded page of events. */
export interface Step extends StateToStore {
  /** Events folded. */
  readonly events: number
  /** The size of their payloads as JSON text. */
  readonly bytes: number
}

/** Events folded since the last snapshot, and the size of their payloads in bytes. */
export interface FoldProgress {
  events: number
  bytes: number
  /** The epoch (see `Snapshots`) in which the fold began. */
  readonly epoch: string
}

/** The progress at a snapshot, or at the beginning of the log. */
export const start = (epoch: string): FoldProgress => ({ events: 0, bytes: 0, epoch })

/** The minimum distance between two snapshots. */
export interface SnapshotPolicy {
  /** Fewest events between two snapshots. */
  readonly minEvents: number
  /** Fewest bytes of events between two snapshots, per byte that the second one adds to the store. */
  readonly perByteStored: number
  /** Fewest bytes of events between two snapshots, per byte of text that was serialized before compression. */
  readonly perByteWritten: number
}

/**
 * A snapshot takes at most a quarter of its events' bytes on disk, and less time to write than its events take to fold.
 */
export const POLICY: SnapshotPolicy = { minEvents: 500, perByteStored: 4, perByteWritten: 1 }

/** One in so many events is measured; the total size is extrapolated from those. */
const MEASURED_EVENTS = 32

/** A strategy that reads and writes no snapshots. */
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

/** Makes the strategy of each projection. At most one snapshot is written at a time; closing the scope waits for it. */
export const makeAll = (
  log: typeof EventLog.Service,
  snapshots: typeof Snapshots.Service,
  { policy = POLICY, sharing = [] }: StrategyOptions = {},
) =>
  Effect.map(Effect.scope, (scope) => {
    const writeLock = Effect.unsafeMakeSemaphore(1)
    const cache = ChunkCache.make()
    return <S>(projection: Projection<S>): SnapshotStrategy<S> =>
      make(projection, { log, snapshots, policy, cache, writeLock, scope, sharing })
  })

interface Shared {
  readonly log: typeof EventLog.Service
  readonly snapshots: typeof Snapshots.Service
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
  const sources = [own, ...SnapshotSource.sharing(sharing, projection, snapshots.upcastVersions)]
  const states = StoredStates.make(cache)
  /** Bytes of events required before the next snapshot, estimated from the last one. */
  let requiredBytes = 0

  const isDue = ({ events, bytes }: FoldProgress) => events >= policy.minEvents && bytes >= requiredBytes

  const nearest: SnapshotStrategy<S>["nearest"] = ({ after, until, epoch }) =>
    Effect.gen(function* () {
      const found = new Map<SnapshotSource.SnapshotSource, FoundSnapshot>()
      const look = (source: SnapshotSource.SnapshotSource, below: number) =>
        Effect.map(snapshots.nearest(source.seriesIn(epoch), below), (snapshot) => {
          found.delete(source)
          if (Option.isSome(snapshot) && snapshot.value.position > after) found.set(source, snapshot.value)
        })
      const highest = Math.min(until, log.spans[0]?.until ?? 0)
      if (highest <= after) return Option.none()
      for (const source of sources) yield* look(source, highest)
      for (;;) {
        const [next] = [...found].sort(([, a], [, b]) => b.position - a.position)
        if (next === undefined) return Option.none()
        const [source, snapshot] = next
        const { position } = snapshot
        const state = yield* verified(source, epoch, snapshot)
        // The snapshot is authentic and its hashes hold, so that this very projection, with this state schema, wrote
        // it.
        if (Option.isSome(state)) return Option.some({ position, state: state.value as S })
        yield* Effect.ignore(snapshots.forget(source.seriesIn(epoch), position))
        yield* look(source, position - 1)
      }
      // If snapshots cannot be read, the fold starts from the events; if those cannot be read either, that read reports
      // the error.
    }).pipe(Effect.catchAll(() => Effect.succeedNone))

  /** The state of a snapshot, if the log wrote it, the log still has its event, and every hash holds. */
  const verified = (
    { seriesIn, field }: SnapshotSource.SnapshotSource,
    epoch: string,
    { position, eventHash, stateHash, root, authentic }: FoundSnapshot,
  ) =>
    Effect.gen(function* () {
      if (!authentic) return Option.none()
      const [event] = yield* log.readPage({ after: position - 1, until: position, timeline: MAIN }, 1)
      if (event?.hash !== eventHash) return Option.none()
      const text = compression.decompress(root, stateHash)
      if (Option.isNone(text)) return text
      return yield* states.read(text.value, (digests) => snapshots.parts(seriesIn(epoch), digests), field)
    })

  const store: SnapshotStrategy<S>["store"] = ({ position, hash, chunked }, epoch) =>
    Effect.suspend(() => {
      if (log.timeline !== MAIN || position === 0) return Effect.void
      const pending = { position, hash, state: StateChunks.split(chunked()), events: 0, bytes: WORTH_ANY_SIZE, epoch }
      return writeLock.withPermits(1)(write(pending))
    })

  const reach: SnapshotStrategy<S>["reach"] = (epoch) =>
    Effect.map(snapshots.nearest(seriesIn(epoch), Number.MAX_SAFE_INTEGER), (found) =>
      Option.match(found, { onNone: () => 0, onSome: ({ position, authentic }) => (authentic ? position : 0) }),
    )

  const onProgress: SnapshotStrategy<S>["onProgress"] = (sinceSnapshot, step) =>
    Effect.suspend(() => {
      if (log.timeline !== MAIN || step.events === 0) return Effect.void
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

  /** Captures the state before the fold goes on; it is stored later. */
  const captureIfDue = (
    sinceSnapshot: FoldProgress,
    { position, hash, chunked }: Step,
  ): PendingSnapshot | undefined => {
    // While this waited for the previous snapshot, that one may have raised `requiredBytes`.
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

  /**
   * Writes a snapshot, unless it costs more than its events are worth. Answers false if more events have to come first.
   */
  const write = ({
    position,
    hash,
    state,
    bytes,
    epoch,
  }: PendingSnapshot): Effect.Effect<boolean, LogError | DiskFull> =>
    Effect.gen(function* () {
      const written = yield* states.write(state)
      if (Option.isNone(written)) return true // The state is not plain JSON: no snapshot can be written now, nor soon.
      const { root, chunks, parts, work } = written.value
      requiredBytes = policy.perByteWritten * work
      if (bytes < requiredBytes) return false
      const digests = [...chunks.keys()]
      // If the missing chunks cannot be looked up, because somebody dropped the tables, all of them are written.
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

  return { nearest, onProgress, store, reach }
}

/** As the bytes of a snapshot's events: it is written, whatever it adds to the file. */
const WORTH_ANY_SIZE = Number.POSITIVE_INFINITY

/** A snapshot to be written. */
interface PendingSnapshot {
  readonly position: number
  readonly hash: string
  readonly state: StateChunks.StateChunks
  /** Counted since the previous snapshot. */
  readonly events: number
  readonly bytes: number
  readonly epoch: string
}

/** The approximate size in bytes of these events' payloads as JSON text. */
export const sizeOf = (page: ReadonlyArray<Event>): number => {
  let measured = 0
  let size = 0
  for (let index = 0; index < page.length; index += MEASURED_EVENTS) {
    measured += 1
    size += JSON.stringify(page[index]?.payload).length
  }
  return measured === 0 ? 0 : (size / measured) * page.length
}
