import { Effect, Option, type Scope } from "effect"
import type { Event } from "../../events/Event.ts"
import { type DiskFull, type EventLog, type LogError, MAIN } from "../../events/EventLog.ts"
import { sha256 } from "../../events/Json.ts"
import type { Snapshot, Snapshots } from "../../events/Snapshots.ts"
import { turn } from "../../events/Turn.ts"
import type { Positioned, Projection } from "../Projection.ts"
import * as Cut from "./Cut.ts"
import * as Fingerprint from "./Fingerprint.ts"
import * as Packed from "./Packed.ts"
import * as PageCache from "./PageCache.ts"
import * as StoredStates from "./StoredStates.ts"

/**
 * The snapshots of one projection as rungs along the log: a fold starts at the nearest one below, and lays new ones on
 * its way. They are a cache: whatever happens to them, folds come to the same states.
 */
export interface Ladder<S> {
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
  readonly climbed: (climb: Climb, step: Step<S>) => Effect.Effect<void>
}

/** What a fold has done. */
export interface Step<S> {
  /** Events folded. */
  readonly events: number
  /** The size of their payloads as JSON text. */
  readonly bytes: number
  readonly reached: Positioned<S>
  /** The hash of the last event. */
  readonly hash: string
}

/** How far a fold has come since the last rung. */
export interface Climb {
  events: number
  bytes: number
  /** The epoch (see `Snapshots`) that the fold began in. */
  readonly epoch: string
}

/** At a rung, or at the log's beginning. */
export const start = (epoch: string): Climb => ({ events: 0, bytes: 0, epoch })

/** How far rungs are apart. */
export interface Rule {
  /** Fewest events between two of them. */
  readonly minEvents: number
  /** Fewest bytes of events between two of them, for each byte that the second one adds to what is stored. */
  readonly perByteStored: number
  /** The same, for each byte of text that had to be written before it was packed. */
  readonly perByteWritten: number
}

/** A rung takes at most a quarter of its events' bytes on the disk, and less time to lay than they take to be folded. */
export const RULE: Rule = { minEvents: 1_000, perByteStored: 4, perByteWritten: 1 }

/** One in so many events is measured, for the size of all. */
const MEASURED_EVENTS = 32

/** A ladder that has no rungs and gets none. */
export const none = <S>(): Ladder<S> => ({ highest: () => Effect.succeedNone, climbed: () => Effect.void })

/** Makes ladders. At most one rung is laid at a time; closing the scope waits for it. */
export const makeAll = (log: typeof EventLog.Service, snapshots: typeof Snapshots.Service, rule: Rule = RULE) =>
  Effect.map(Effect.scope, (scope) => {
    const laying = Effect.unsafeMakeSemaphore(1)
    const cache = PageCache.make()
    return <S>(projection: Projection<S>): Ladder<S> => make(projection, { log, snapshots, rule, cache, laying, scope })
  })

interface Shared {
  readonly log: typeof EventLog.Service
  readonly snapshots: typeof Snapshots.Service
  readonly rule: Rule
  readonly cache: PageCache.PageCache
  readonly laying: Effect.Semaphore
  readonly scope: Scope.Scope
}

const make = <S>(projection: Projection<S>, { log, snapshots, rule, cache, laying, scope }: Shared): Ladder<S> => {
  const fingerprint = Fingerprint.of(projection, snapshots.reading)
  const seriesIn = (epoch: string) => ({ projection: projection.name, fingerprint, timeline: MAIN, epoch })
  const states = StoredStates.make(cache, snapshots.parts)
  /** Bytes of events that the next rung is thought to be worth: as many as the last one. */
  let worth = 0

  const isDue = ({ events, bytes }: Climb) => events >= rule.minEvents && bytes >= worth

  const highest: Ladder<S>["highest"] = ({ after, until, epoch }) =>
    Effect.gen(function* () {
      const series = seriesIn(epoch)
      let below = until
      while (below - after >= 1) {
        const found = yield* snapshots.nearest(series, below)
        if (Option.isNone(found) || found.value.position <= after) return Option.none()
        const { position } = found.value
        const state = yield* trusted(found.value)
        // The hashes hold: this is what this very projection, its state's schema included, wrote.
        if (Option.isSome(state)) return Option.some({ position, state: state.value as S })
        yield* Effect.ignore(snapshots.forget(series, position))
        below = position - 1
      }
      return Option.none()
      // Where snapshots cannot be read, the events can; or reading them says why not.
    }).pipe(Effect.catchAll(() => Effect.succeedNone))

  /** The state of a snapshot, where the log still has its event and every hash holds. */
  const trusted = ({ position, eventHash, stateHash, root }: Snapshot) =>
    Effect.gen(function* () {
      const [event] = yield* log.readPage({ after: position - 1, until: position, timeline: MAIN }, 1)
      if (event?.hash !== eventHash) return Option.none()
      const text = Packed.unpack(root, stateHash)
      return Option.isNone(text) ? text : yield* states.read(text.value)
    })

  const climbed: Ladder<S>["climbed"] = (climb, { events, bytes, reached, hash }) =>
    Effect.suspend(() => {
      climb.events += events
      climb.bytes += bytes
      if (!isDue(climb)) return Effect.void
      return Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(restore(laying.take(1)), () => behindIt(layIfDue(climb, reached, hash))),
      )
    })

  const behindIt = (lay: Effect.Effect<void>) => Effect.forkIn(Effect.ensuring(lay, laying.release(1)), scope)

  const layIfDue = (climb: Climb, reached: Positioned<S>, eventHash: string): Effect.Effect<void> => {
    // What the rung before took may have made it wait.
    if (!isDue(climb)) return Effect.void
    const { events, bytes, epoch } = climb
    climb.events = 0
    climb.bytes = 0
    return lay(reached, eventHash, bytes, epoch).pipe(
      Effect.map((settled) => {
        if (settled) return
        climb.events += events
        climb.bytes += bytes
      }),
      Effect.ignore, // A busy log or a full disk means no rung, and nothing else.
    )
  }

  /** Lays a rung, unless it is worth more than these bytes of events. Answers whether that is settled. */
  const lay = (
    { position, state }: Positioned<S>,
    eventHash: string,
    bytes: number,
    epoch: string,
  ): Effect.Effect<boolean, LogError | DiskFull> =>
    Effect.gen(function* () {
      const written = yield* states.write(state)
      if (Option.isNone(written)) return true // There is none to be laid, and will be none soon.
      const { root, pages, work } = written.value
      worth = rule.perByteWritten * work
      if (bytes < worth) return false
      const parts = new Map<string, Uint8Array>()
      const digests = [...pages.keys()]
      // Where that cannot be told, for whoever dropped the tables, it is all of them.
      const missing = yield* Effect.orElseSucceed(snapshots.missing(digests), () => digests)
      for (const digest of missing) {
        const page = pages.get(digest)
        if (page !== undefined) parts.set(digest, Packed.pack(Cut.textOf(page)))
        yield* turn
      }
      const packedRoot = Packed.pack(root)
      const stored = [...parts.values()].reduce((sum, { length }) => sum + length, packedRoot.length)
      worth = Math.max(worth, rule.perByteStored * stored)
      if (bytes < worth) return false
      yield* snapshots.save(seriesIn(epoch), { position, eventHash, stateHash: sha256(root), root: packedRoot }, parts)
      return true
    })

  return { highest, climbed }
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
