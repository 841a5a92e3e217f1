import { Effect, Option, type Scope } from "effect"
import { type DiskFull, type EventLog, type LogError, MAIN } from "../../events/log/EventLog.ts"
import type { Found, Series, Snapshots } from "../../events/log/Snapshots.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { yieldToEventLoop } from "../../platform/yieldToEventLoop.ts"
import type { Positioned, Projection } from "../fold/Projection.ts"
import * as ChunkCache from "./ChunkCache.ts"
import * as compression from "./compression.ts"
import * as Fingerprint from "./Fingerprint.ts"
import * as StateChunks from "./StateChunks.ts"
import * as StoredStates from "./StoredStates.ts"

/**
 * The snapshots of one projection as rungs along the log: a fold starts at the nearest one below, and lays new ones on
 * its way. They are a cache: whatever happens to them, folds come to the same states.
 *
 * Rungs are of `main` alone. Up to where a fork left `main` it has `main`'s states, and uses its rungs; what comes after is
 * short, and folded each time.
 */
export interface SnapshotStrategy<S> {
  /** The state of the highest rung in a range (`after` exclusive, `until` inclusive) that can be trusted. */
  readonly highest: (range: {
    readonly after: number
    readonly until: number
    readonly epoch: string
  }) => Effect.Effect<Option.Option<Positioned<S>>>
  /**
   * Tells that a fold has come a step further. Where a rung is due it is laid behind the fold's back; only if the one
   * before is still not done, the fold waits for it.
   */
  readonly climbed: (climb: FoldProgress, step: Step) => Effect.Effect<void>
}

/** What a fold has done. */
export interface Step {
  /** Events folded. */
  readonly events: number
  /** The size of their payloads as JSON text. */
  readonly bytes: number
  /** The position of the last of them, and its hash. */
  readonly position: number
  readonly hash: string
  /** The state that was reached, asked for where it is stored, before the fold goes on: see `Draft`. */
  readonly paged: () => unknown
}

/** How far a fold has come since the last rung. */
export interface FoldProgress {
  events: number
  bytes: number
  /** The epoch (see `Snapshots`) that the fold began in. */
  readonly epoch: string
}

/** At a rung, or at the log's beginning. */
export const start = (epoch: string): FoldProgress => ({ events: 0, bytes: 0, epoch })

/** How far rungs are apart. */
export interface SnapshotPolicy {
  /** Fewest events between two of them. */
  readonly minEvents: number
  /** Fewest bytes of events between two of them, for each byte that the second one adds to what is stored. */
  readonly perByteStored: number
  /** The same, for each byte of text that had to be written before it was packed. */
  readonly perByteWritten: number
}

/** A rung takes at most a quarter of its events' bytes on the disk, and less time to lay than they take to be folded. */
export const POLICY: SnapshotPolicy = { minEvents: 500, perByteStored: 4, perByteWritten: 1 }

/** One in so many events is measured, for the size of all. */
const MEASURED_EVENTS = 32

/** A ladder that has no rungs and gets none. */
export const none = <S>(): SnapshotStrategy<S> => ({ highest: () => Effect.succeedNone, climbed: () => Effect.void })

/** Makes ladders. At most one rung is laid at a time; closing the scope waits for it. */
export const makeAll = (
  log: typeof EventLog.Service,
  snapshots: typeof Snapshots.Service,
  rule: SnapshotPolicy = POLICY,
) =>
  Effect.map(Effect.scope, (scope) => {
    const laying = Effect.unsafeMakeSemaphore(1)
    const cache = ChunkCache.make()
    return <S>(projection: Projection<S>): SnapshotStrategy<S> =>
      make(projection, { log, snapshots, rule, cache, laying, scope })
  })

interface Shared {
  readonly log: typeof EventLog.Service
  readonly snapshots: typeof Snapshots.Service
  readonly rule: SnapshotPolicy
  readonly cache: ChunkCache.ChunkCache
  readonly laying: Effect.Semaphore
  readonly scope: Scope.Scope
}

const make = <S>(
  projection: Projection<S>,
  { log, snapshots, rule, cache, laying, scope }: Shared,
): SnapshotStrategy<S> => {
  const fingerprint = Fingerprint.of(projection, snapshots.reading)
  // A combination's name says the versions of its parts.
  const name = projection.name.replaceAll(/@\d+/g, "")
  const seriesIn = (epoch: string): Series => ({ projection: name, fingerprint, timeline: MAIN, epoch })
  const states = StoredStates.make(cache)
  /** Bytes of events that the next rung is thought to be worth: as many as the last one. */
  let worth = 0

  const isDue = ({ events, bytes }: FoldProgress) => events >= rule.minEvents && bytes >= worth

  const highest: SnapshotStrategy<S>["highest"] = ({ after, until, epoch }) =>
    Effect.gen(function* () {
      const series = seriesIn(epoch)
      let below = Math.min(until, log.spans[0]?.until ?? 0)
      while (below - after >= 1) {
        const found = yield* snapshots.nearest(series, below)
        if (Option.isNone(found) || found.value.position <= after) return Option.none()
        const { position } = found.value
        const state = yield* trusted(series, found.value)
        // It is the log's own, and its hashes hold: this is what this very projection, its state's schema included, wrote.
        if (Option.isSome(state)) return Option.some({ position, state: state.value as S })
        yield* Effect.ignore(snapshots.forget(series, position))
        below = position - 1
      }
      return Option.none()
      // Where snapshots cannot be read, the events can; or reading them says why not.
    }).pipe(Effect.catchAll(() => Effect.succeedNone))

  /** The state of a snapshot, where it is the log's own, the log still has its event and every hash holds. */
  const trusted = (series: Series, { position, eventHash, stateHash, root, authentic }: Found) =>
    Effect.gen(function* () {
      if (!authentic) return Option.none()
      const [event] = yield* log.readPage({ after: position - 1, until: position, timeline: MAIN }, 1)
      if (event?.hash !== eventHash) return Option.none()
      const text = compression.decompress(root, stateHash)
      return Option.isNone(text) ? text : yield* states.read(text.value, (digests) => snapshots.parts(series, digests))
    })

  const climbed: SnapshotStrategy<S>["climbed"] = (climb, step) =>
    Effect.suspend(() => {
      if (log.timeline !== MAIN) return Effect.void
      climb.events += step.events
      climb.bytes += step.bytes
      if (!isDue(climb)) return Effect.void
      return Effect.uninterruptibleMask((restore) =>
        Effect.zipRight(
          restore(laying.take(1)),
          Effect.sync(() => rungDue(climb, step)).pipe(
            Effect.onError(() => laying.release(1)),
            Effect.flatMap((rung) => Effect.forkIn(Effect.ensuring(layIfDue(climb, rung), laying.release(1)), scope)),
          ),
        ),
      )
    })

  /** The state is taken now, before the fold goes on, and stored later. */
  const rungDue = (climb: FoldProgress, { position, hash, paged }: Step): Rung | undefined => {
    // What the rung before took may have made it wait.
    if (!isDue(climb)) return undefined
    const { events, bytes, epoch } = climb
    climb.events = 0
    climb.bytes = 0
    return { position, hash, state: StateChunks.split(paged()), events, bytes, epoch }
  }

  const layIfDue = (climb: FoldProgress, rung: Rung | undefined): Effect.Effect<void> => {
    if (rung === undefined) return Effect.void
    return lay(rung).pipe(
      Effect.map((settled) => {
        if (settled) return
        climb.events += rung.events
        climb.bytes += rung.bytes
      }),
      Effect.ignore, // A busy log or a full disk means no rung, and nothing else.
    )
  }

  /** Lays a rung, unless it is worth more than its bytes of events. Answers whether that is settled. */
  const lay = ({ position, hash, state, bytes, epoch }: Rung): Effect.Effect<boolean, LogError | DiskFull> =>
    Effect.gen(function* () {
      const written = yield* states.write(state)
      if (Option.isNone(written)) return true // There is none to be laid, and will be none soon.
      const { root, pages, parts, work } = written.value
      worth = rule.perByteWritten * work
      if (bytes < worth) return false
      const digests = [...pages.keys()]
      // Where that cannot be told, for whoever dropped the tables, it is all of them.
      const series = seriesIn(epoch)
      const missing = yield* Effect.orElseSucceed(snapshots.missing(series, digests), () => digests)
      const added = new Map<string, Uint8Array>()
      let stored = root.bytes.length
      for (const digest of missing) {
        const page = pages.get(digest)
        const part = parts.get(digest) ?? (page && compression.compress(StateChunks.textOf(page)).bytes)
        if (part === undefined) continue
        if (!parts.has(digest)) yield* yieldToEventLoop
        added.set(digest, part)
        stored += part.length
      }
      worth = Math.max(worth, rule.perByteStored * stored)
      if (bytes < worth) return false
      const snapshot = { position, eventHash: hash, stateHash: root.digest, root: root.bytes }
      yield* snapshots.save(series, snapshot, added)
      return true
    })

  return { highest, climbed }
}

/** A rung to be laid. */
interface Rung {
  readonly position: number
  readonly hash: string
  readonly state: StateChunks.StateChunks
  /** Since the rung before. */
  readonly events: number
  readonly bytes: number
  readonly epoch: string
}

/** About how many bytes the payloads of these events take as JSON text. */
export const sizeOf = (page: ReadonlyArray<Event>): number => {
  let measured = 0
  let size = 0
  for (let index = 0; index < page.length; index += MEASURED_EVENTS) {
    measured += 1
    size += JSON.stringify(page[index]?.payload).length
  }
  return measured === 0 ? 0 : (size / measured) * page.length
}
