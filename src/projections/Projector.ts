import { Context, Effect, Layer, Option, Stream } from "effect"
import type { Event } from "../events/Event.ts"
import { CaughtUp, EventLog, type LogError, MAIN } from "../events/EventLog.ts"
import { Snapshots } from "../events/Snapshots.ts"
import { turn } from "../events/Turn.ts"
import { type PositionOutOfRange, withinLog } from "./Moment.ts"
import { fold, type Positioned, type Projection, step } from "./Projection.ts"
import * as Purity from "./Purity.ts"
import * as Ladder from "./snapshots/Ladder.ts"

export { PositionOutOfRange } from "./Moment.ts"
export { FoldFailed, type Positioned } from "./Projection.ts"

/** How a projector works. */
export interface ProjectorOptions {
  /**
   * Whether projections are held to being pure, which costs time: their input is made immutable, and some events are
   * folded twice. Default: where `NODE_ENV` is `test` or `development`.
   */
  readonly checks?: boolean
  /** Whether snapshots are used and taken, where the log keeps any (`Snapshots`). Default: true. */
  readonly snapshots?: boolean
}

/** Events folded at a time: one page is read while nothing else is held. */
const PAGE = 1_000

/**
 * Events of the first page; each one after it is twice as long, up to `PAGE`. V8 watches at first which objects live long,
 * and from then on allocates such as old: after long pages that was every event, for a third more time and 80 MiB more
 * over 1,000,000 events.
 */
const FIRST_PAGE = 64

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

const make = ({ checks = isDevelopment(), snapshots = true }: ProjectorOptions) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const kept = yield* Effect.serviceOption(Snapshots)
    const ladderOf = snapshots && Option.isSome(kept) ? yield* Ladder.makeAll(log, kept.value) : Ladder.none
    const epoch = Option.isSome(kept) ? kept.value.epoch : Effect.succeed("")
    const foldings = new WeakMap<object, unknown>()
    let pageSize = FIRST_PAGE

    const foldingOf = <S>(given: Projection<S>): Folding<S> => {
      const known = foldings.get(given)
      // Only this function writes to the map, and always a folding of the key's own state.
      if (known !== undefined) return known as Folding<S>
      const projection = checks ? Purity.checked(given) : given
      const folding: Folding<S> = {
        projection,
        ladder: ladderOf(projection),
        latest: { position: 0, state: projection.initial },
        climb: Ladder.start(""),
        lock: Effect.unsafeMakeSemaphore(1),
      }
      foldings.set(given, folding)
      return folding
    }

    const foldOn = <S>(
      folding: Folding<S>,
      from: Positioned<S>,
      climb: Ladder.Climb,
      until: number | undefined,
      keep: (progress: Positioned<S>) => void,
    ): Effect.Effect<Positioned<S>, LogError> =>
      Effect.gen(function* () {
        let progress = from
        for (;;) {
          const limit = pageSize
          const step = yield* foldPage(folding.projection, progress, until, limit)
          if (step.events === 0) return progress
          progress = step.reached
          keep(progress)
          yield* folding.ladder.climbed(climb, step)
          if (step.events < limit) return progress
          pageSize = Math.min(PAGE, limit * 2)
          // A page takes milliseconds to fold: others get their turn in between.
          yield* turn
        }
      })

    /** Nothing holds on to the events of a page once they are folded: memory is of one page at a time. */
    const foldPage = <S>(
      projection: Projection<S>,
      from: Positioned<S>,
      until: number | undefined,
      limit: number,
    ): Effect.Effect<Ladder.Step<S>, LogError> => {
      const range = { after: from.position, ...(until === undefined ? {} : { until }), timeline: MAIN }
      return Effect.map(log.readPage(range, limit), (page) => {
        const last = page.at(-1)
        const state = fold(projection, page, from.state)
        return {
          events: page.length,
          bytes: Ladder.sizeOf(page),
          reached: { position: last?.position ?? from.position, state },
          hash: last?.hash ?? "",
        }
      })
    }

    const currentWithPosition = <S>(given: Projection<S>) =>
      Effect.suspend(() => {
        const folding = foldingOf(given)
        return Effect.gen(function* () {
          yield* inEpoch(folding)
          const { climb } = folding
          const keep = (progress: Positioned<S>) => {
            // Unless all was forgotten meanwhile.
            if (folding.climb === climb) folding.latest = progress
          }
          if (folding.latest.position === 0) {
            const range = { after: 0, until: Number.MAX_SAFE_INTEGER, epoch: climb.epoch }
            const rung = yield* folding.ladder.highest(range)
            if (Option.isSome(rung)) keep(rung.value)
          }
          return yield* foldOn(folding, folding.latest, climb, undefined, keep)
        }).pipe(folding.lock.withPermits(1))
      })

    const current = <S>(projection: Projection<S>) => Effect.map(currentWithPosition(projection), ({ state }) => state)

    const stateAt = <S>(given: Projection<S>, at: number) =>
      Effect.gen(function* () {
        yield* Effect.provideService(withinLog(at), EventLog, log)
        const folding = foldingOf(given)
        yield* inEpoch(folding)
        const { from, climb } = yield* startBelow(folding, at)
        const { state } = yield* foldOn(folding, from, climb, at, () => {})
        return state
      })

    /** Forgets what was folded from events that are read in another way by now: a subject's key was destroyed since. */
    const inEpoch = <S>(folding: Folding<S>) =>
      Effect.map(epoch, (now) => {
        if (folding.climb.epoch === now) return
        folding.latest = { position: 0, state: folding.projection.initial }
        folding.climb = Ladder.start(now)
      })

    /** Where a fold to a position begins, and how far that is from the rung below it. */
    const startBelow = <S>({ projection, ladder, latest, climb }: Folding<S>, at: number) =>
      Effect.gen(function* () {
        const known =
          latest.position <= at
            ? { from: latest, climb: { ...climb } }
            : { from: { position: 0, state: projection.initial }, climb: Ladder.start(climb.epoch) }
        const after = known.from.position
        if (at - after < Ladder.RULE.minEvents) return known
        const rung = yield* ladder.highest({ after, until: at, epoch: climb.epoch })
        return Option.isSome(rung) ? { from: rung.value, climb: Ladder.start(climb.epoch) } : known
      })

    const changes = <S>(given: Projection<S>) =>
      currentWithPosition(given).pipe(
        Effect.map(({ position, state }) =>
          log.follow({ after: position, timeline: MAIN }).pipe(
            Stream.mapAccumEffect({ state, live: false }, (before, next) => {
              if (next instanceof CaughtUp) {
                const seen = Option.some({ position: next.position, state: before.state })
                return Effect.succeed([{ state: before.state, live: true }, seen])
              }
              return Effect.map(stateAfter(given, before.state, next), (after) => {
                const seen = before.live && after !== before.state
                const emitted = seen
                  ? Option.some({ position: next.position, state: after })
                  : Option.none<Positioned<S>>()
                return [{ state: after, live: before.live }, emitted]
              })
            }),
            Stream.filterMap((emitted) => emitted),
          ),
        ),
        Stream.unwrap,
      )

    /** One event further; where it says that a key was destroyed, all that came before reads in another way. */
    const stateAfter = <S>(given: Projection<S>, state: S, event: Event): Effect.Effect<S, LogError> =>
      event.type === "PayloadShredded"
        ? // An event's position is always within its log.
          Effect.catchTag(stateAt(given, event.position), "PositionOutOfRange", (error) => Effect.die(error))
        : Effect.sync(() => step(foldingOf(given).projection, state, event))

    return Projector.of({ stateAt, current, currentWithPosition, changes })
  })

/** How far one projection has been folded. */
interface Folding<S> {
  readonly projection: Projection<S>
  readonly ladder: Ladder.Ladder<S>
  latest: Positioned<S>
  climb: Ladder.Climb
  /** Keeps two callers from folding the same tail twice. */
  readonly lock: Effect.Semaphore
}

const isDevelopment = () => {
  const { NODE_ENV } = process.env
  return NODE_ENV === "test" || NODE_ENV === "development"
}

/** The projector over the `EventLog` it is given, and over its `Snapshots` where it has any. */
export const layerWith = (options: ProjectorOptions): Layer.Layer<Projector, never, EventLog> =>
  Layer.scoped(Projector, make(options))

/** The same, by the defaults. */
export const layer: Layer.Layer<Projector, never, EventLog> = layerWith({})
