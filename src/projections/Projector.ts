import { Context, Effect, Layer, Option, Stream } from "effect"
import { CaughtUp, EventLog, type LogError, MAIN } from "../events/EventLog.ts"
import { type PositionOutOfRange, withinLog } from "./Moment.ts"
import { fold, type Projection, step } from "./Projection.ts"

export { PositionOutOfRange } from "./Moment.ts"
export { FoldFailed } from "./Projection.ts"

/** A state, and the position up to which it takes events into account. */
export interface Positioned<S> {
  readonly position: number
  readonly state: S
}

/** Events folded at a time: one page is read while nothing else is held. */
const PAGE = 1_000

/**
 * Runs projections over the timeline `main`: as it stood, as it stands, as it changes. All three are the same fold.
 * A projection whose `evolve` throws is a defect (`FoldFailed`), not an error to handle.
 */
export class Projector extends Context.Tag("hindcast/Projector")<
  Projector,
  {
    /** The state after the event at this position; at 0 the initial one. */
    readonly stateAt: <S>(projection: Projection<S>, at: number) => Effect.Effect<S, PositionOutOfRange | LogError>
    /**
     * The state now: it takes into account every event committed before the call. What was folded before is kept in
     * memory for as long as the projection value lives, so that calling it every turn costs only the new events: keep
     * hold of one projection value rather than making a new one for each call.
     */
    readonly current: <S>(projection: Projection<S>) => Effect.Effect<S, LogError>
    /** The state now, and the position of the last event folded into it. */
    readonly currentWithPosition: <S>(projection: Projection<S>) => Effect.Effect<Positioned<S>, LogError>
    /**
     * The state once all of the history has been seen, then the state after every later event that changed it; none is
     * left out. Never ends by itself.
     */
    readonly changes: <S>(projection: Projection<S>) => Stream.Stream<Positioned<S>, LogError>
  }
>() {}

const make = Effect.gen(function* () {
  const log = yield* EventLog
  const caches = new WeakMap<object, Cache<unknown>>()

  const cacheOf = <S>(projection: Projection<S>): Cache<S> => {
    const known = caches.get(projection)
    // Only this function writes to the map, and always a cache of the key's own state.
    if (known !== undefined) return known as Cache<S>
    const cache: Cache<S> = {
      latest: { position: 0, state: projection.initial },
      lock: Effect.unsafeMakeSemaphore(1),
    }
    caches.set(projection, cache)
    return cache
  }

  const foldOn = <S>(
    projection: Projection<S>,
    from: Positioned<S>,
    until: number | undefined,
    reached: (progress: Positioned<S>) => void,
  ): Effect.Effect<Positioned<S>, LogError> =>
    Effect.gen(function* () {
      let progress = from
      for (;;) {
        const range = { after: progress.position, ...(until === undefined ? {} : { until }), timeline: MAIN }
        const page = yield* log.readPage(range, PAGE)
        const last = page.at(-1)
        if (last === undefined) return progress
        progress = { position: last.position, state: fold(projection, page, progress.state) }
        reached(progress)
        if (page.length < PAGE) return progress
        // A page takes milliseconds to fold: others get their turn in between.
        yield* Effect.yieldNow()
      }
    })

  const currentWithPosition = <S>(projection: Projection<S>) =>
    Effect.suspend(() => {
      const cache = cacheOf(projection)
      const keep = (progress: Positioned<S>) => {
        cache.latest = progress
      }
      return Effect.suspend(() => foldOn(projection, cache.latest, undefined, keep)).pipe(cache.lock.withPermits(1))
    })

  const current = <S>(projection: Projection<S>) => Effect.map(currentWithPosition(projection), ({ state }) => state)

  const stateAt = <S>(projection: Projection<S>, at: number) =>
    Effect.gen(function* () {
      yield* Effect.provideService(withinLog(at), EventLog, log)
      const { latest } = cacheOf(projection)
      const from = latest.position <= at ? latest : { position: 0, state: projection.initial }
      const { state } = yield* foldOn(projection, from, at, () => {})
      return state
    })

  const changes = <S>(projection: Projection<S>) =>
    currentWithPosition(projection).pipe(
      Effect.map(({ position, state }) =>
        log.follow({ after: position, timeline: MAIN }).pipe(
          Stream.mapAccum({ state, live: false }, (before, next) => {
            if (next instanceof CaughtUp) {
              return [
                { state: before.state, live: true },
                Option.some({ position: next.position, state: before.state }),
              ]
            }
            const after = step(projection, before.state, next)
            const seen = before.live && after !== before.state
            const emitted = seen ? Option.some({ position: next.position, state: after }) : Option.none<Positioned<S>>()
            return [{ state: after, live: before.live }, emitted]
          }),
          Stream.filterMap((emitted) => emitted),
        ),
      ),
      Stream.unwrap,
    )

  return Projector.of({ stateAt, current, currentWithPosition, changes })
})

/** How far one projection has been folded. The lock keeps two callers from folding the same tail twice. */
interface Cache<S> {
  latest: Positioned<S>
  readonly lock: Effect.Semaphore
}

/** The projector over the `EventLog` it is given. */
export const layer: Layer.Layer<Projector, never, EventLog> = Layer.effect(Projector, make)
