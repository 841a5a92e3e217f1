/**
 * The projector runs projections over a timeline of the log: the state at a position, the current state, and the stream
 * of its changes. It starts from snapshots where the log keeps them, and writes new ones while it folds.
 */

import { Cause, Context, Effect, Exit, Layer, Option, Schema, Scope, Stream } from "effect"
import { CaughtUp, EventLog, type LogError } from "../../events/log/EventLog.ts"
import { Snapshots } from "../../events/log/Snapshots.ts"
import { type PositionOutOfRange, withinLog } from "../../events/read/Moment.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { CoreName } from "../../events/vocabulary/Vocabulary.ts"
import { yieldToEventLoop } from "../../platform/yieldToEventLoop.ts"
import * as Options from "../../values/Options.ts"
import { applyAll, begin, type Positioned, type Projection, type StateBuilder } from "../fold/Projection.ts"
import * as PurityChecks from "../fold/PurityChecks.ts"
import * as SnapshotStrategy from "./SnapshotStrategy.ts"

export { PositionOutOfRange } from "../../events/read/Moment.ts"
export { FoldFailed, type Positioned } from "../fold/Projection.ts"

/** Options of a projector. */
export interface ProjectorOptions {
  /**
   * Whether projections are checked for purity, which costs time: their input is frozen, and some events are folded
   * twice. Default: true where `NODE_ENV` is `test` or `development`.
   */
  readonly checks?: boolean
  /** Whether snapshots are read and written, where the log keeps any (`Snapshots`). Default: true. */
  readonly snapshots?: boolean
}

/** The schema of the options. */
export const ProjectorOptions = Options.of<ProjectorOptions>({
  optional: { checks: Schema.Boolean, snapshots: Schema.Boolean },
})

/** Events folded per page. Only one page is in memory at a time, and a snapshot can be written after each. */
const PAGE = SnapshotStrategy.POLICY.minEvents

/**
 * Events of the first page; each further page is twice as long, up to `PAGE`. V8 first samples which allocation sites
 * produce long-lived objects, and from then on allocates those in the old generation. After long first pages it did so
 * for every event: a third more time and 80 MiB more over 1,000,000 events.
 */
const FIRST_PAGE = 64

/**
 * Runs projections over one timeline: the log's own (`main`), unless `on` selects another. All methods run the same
 * fold. A projection whose `evolve` throws is a defect (`FoldFailed`), not a typed error.
 */
export interface ProjectorService {
  /** The state after the event at this position; the initial state at 0. */
  readonly stateAt: <S>(projection: Projection<S>, at: number) => Effect.Effect<S, PositionOutOfRange | LogError>
  /**
   * The current state: it includes every event committed before the call. The last state is kept in memory for as long
   * as the projection value is reachable, so that a call per turn costs only the new events. Reuse one projection value
   * rather than making a new one for each call.
   */
  readonly current: <S>(projection: Projection<S>) => Effect.Effect<S, LogError>
  /** The current state, and the position of the last event folded into it. */
  readonly currentWithPosition: <S>(projection: Projection<S>) => Effect.Effect<Positioned<S>, LogError>
  /**
   * The state once the existing history has been folded, then the state after each later event that changed it. No
   * change is left out. The stream never ends by itself.
   */
  readonly changes: <S>(projection: Projection<S>) => Stream.Stream<Positioned<S>, LogError>
  /** The same service over another timeline of the log. */
  readonly on: (timeline: string) => Effect.Effect<ProjectorService, Timelines.TimelineNotFound | LogError>
}

/** The projector of a log. */
export class Projector extends Context.Tag("hindcast/Projector")<Projector, ProjectorService>() {}

const make = (options: ProjectorOptions) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const scope = yield* Effect.scope
    const known = new Map<string, ProjectorService>()

    const over = (view: typeof EventLog.Service) =>
      Effect.gen(function* () {
        const projector = Projector.of({ ...(yield* folding(view, options)), on })
        known.set(view.timeline, projector)
        return projector
      }).pipe(Scope.extend(scope))

    const on = (timeline: string): Effect.Effect<ProjectorService, Timelines.TimelineNotFound | LogError> =>
      Effect.gen(function* () {
        const found = known.get(timeline)
        return found ?? (yield* over(Timelines.view(log, yield* Timelines.named(log, timeline))))
      })

    return yield* over(log)
  })

/** The folds over one timeline. */
const folding = (log: typeof EventLog.Service, { checks = isDevelopment(), snapshots = true }: ProjectorOptions) =>
  Effect.gen(function* () {
    const snapshotStore = yield* Effect.serviceOption(Snapshots)
    const strategyOf =
      snapshots && Option.isSome(snapshotStore)
        ? yield* SnapshotStrategy.makeAll(log, snapshotStore.value)
        : SnapshotStrategy.none
    const epoch = Option.isSome(snapshotStore) ? snapshotStore.value.epoch : Effect.succeed("")
    const foldings = new WeakMap<object, unknown>()
    let pageSize = FIRST_PAGE

    const foldingOf = <S>(original: Projection<S>): Folding<S> => {
      const known = foldings.get(original)
      // Only this function writes to the map, and it stores under each projection a folding of that projection's state.
      if (known !== undefined) return known as Folding<S>
      const projection = checks ? PurityChecks.checked(original) : original
      const folding: Folding<S> = {
        projection,
        strategy: strategyOf(projection),
        latest: { position: 0, state: projection.initial },
        sinceSnapshot: SnapshotStrategy.start(""),
        lock: Effect.unsafeMakeSemaphore(1),
      }
      foldings.set(original, folding)
      return folding
    }

    /** Folds page after page, up to a position or to the end of the log, and writes snapshots where they are due. */
    const foldOn = <S>(
      { projection, strategy }: Folding<S>,
      progress: Progress<S>,
      sinceSnapshot: SnapshotStrategy.FoldProgress,
      until: number | undefined,
    ): Effect.Effect<void, LogError> =>
      Effect.gen(function* () {
        for (;;) {
          const limit = pageSize
          const step = yield* foldPage(projection, progress, until, limit)
          yield* strategy.onProgress(sinceSnapshot, step)
          if (step.events < limit) return
          pageSize = Math.min(PAGE, limit * 2)
          // A page takes milliseconds to fold; other fibers run in between.
          yield* yieldToEventLoop
        }
      })

    /**
     * Reads and folds one page. No reference to its events remains afterwards, so that memory is bounded by one page.
     */
    const foldPage = <S>(
      projection: Projection<S>,
      progress: Progress<S>,
      until: number | undefined,
      limit: number,
    ): Effect.Effect<SnapshotStrategy.Step, LogError> => {
      const range = { after: progress.position, ...(until === undefined ? {} : { until }), timeline: log.timeline }
      return Effect.map(log.readPage(range, limit), (page) => {
        applyAll(projection, progress.builder, page)
        const last = page.at(-1)
        progress.position = last?.position ?? progress.position
        return {
          events: page.length,
          bytes: SnapshotStrategy.sizeOf(page),
          position: progress.position,
          hash: last?.hash ?? "",
          paged: () => progress.builder.paged?.() ?? progress.builder.state(),
        }
      })
    }

    const currentWithPosition = <S>(original: Projection<S>) =>
      Effect.suspend(() => {
        const folding = foldingOf(original)
        return Effect.gen(function* () {
          yield* inEpoch(folding)
          const { sinceSnapshot, latest, projection } = folding
          const range = { after: 0, until: Number.MAX_SAFE_INTEGER, epoch: sinceSnapshot.epoch }
          const snapshot = latest.position === 0 ? yield* folding.strategy.nearest(range) : Option.none()
          const progress = Option.isSome(snapshot)
            ? startAt(projection, snapshot.value, true)
            : startAt(projection, latest, false)
          yield* foldOn(folding, progress, sinceSnapshot, undefined).pipe(
            Effect.onExit((exit) => Effect.sync(() => keep(folding, sinceSnapshot, progress, exit))),
          )
          return reachedBy(progress)
        }).pipe(folding.lock.withPermits(1))
      })

    /** Keeps the folded state, also after a read error or an interrupt, but not after a defect. */
    const keep = <S>(
      folding: Folding<S>,
      sinceSnapshot: SnapshotStrategy.FoldProgress,
      progress: Progress<S>,
      exit: Exit.Exit<void, LogError>,
    ) => {
      const isWhole = Exit.isSuccess(exit) || !Cause.isDie(exit.cause)
      // `inEpoch` may have discarded everything in the meantime.
      if (isWhole && folding.sinceSnapshot === sinceSnapshot) folding.latest = reachedBy(progress)
    }

    const current = <S>(projection: Projection<S>) => Effect.map(currentWithPosition(projection), ({ state }) => state)

    const stateAt = <S>(original: Projection<S>, at: number) =>
      Effect.gen(function* () {
        yield* Effect.provideService(withinLog(at), EventLog, log)
        const folding = foldingOf(original)
        yield* inEpoch(folding)
        const { progress, sinceSnapshot } = yield* startBelow(folding, at)
        yield* foldOn(folding, progress, sinceSnapshot, at)
        return progress.builder.state()
      })

    /**
     * Discards what was folded if the log's epoch changed: a subject's key was destroyed, and older events now decode
     * differently.
     */
    const inEpoch = <S>(folding: Folding<S>) =>
      Effect.map(epoch, (now) => {
        if (folding.sinceSnapshot.epoch === now) return
        folding.latest = { position: 0, state: folding.projection.initial }
        folding.sinceSnapshot = SnapshotStrategy.start(now)
      })

    /** The state from which a fold to `at` starts, and the progress since the last snapshot below it. */
    const startBelow = <S>({ projection, strategy, latest, sinceSnapshot }: Folding<S>, at: number) =>
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
              progress: startAt(projection, snapshot.value, true),
              sinceSnapshot: SnapshotStrategy.start(sinceSnapshot.epoch),
            }
          }
        }
        return { progress: startAt(projection, known.from, false), sinceSnapshot: known.sinceSnapshot }
      })

    const changes = <S>(original: Projection<S>) =>
      currentWithPosition(original).pipe(
        Effect.map((start) => {
          const { projection } = foldingOf(original)
          let builder = begin(projection, start.state)
          let shown: Positioned<S> | undefined

          const show = (position: number) => {
            const state = builder.state()
            if (shown !== undefined && state === shown.state) return Option.none()
            shown = { position, state }
            return Option.some(shown)
          }
          const take = (event: Event): Effect.Effect<void, LogError> => {
            if (event.type !== SHREDDED) return Effect.sync(() => applyAll(projection, builder, [event]))
            // A key was destroyed: all earlier events now decode differently, so that the state is folded again. The
            // event's position is within its log.
            return stateAt(original, event.position).pipe(
              Effect.catchTag("PositionOutOfRange", (error) => Effect.die(error)),
              Effect.map((state) => {
                builder = begin(projection, state)
              }),
            )
          }
          return log.follow({ after: start.position, timeline: log.timeline }).pipe(
            Stream.mapEffect((next) =>
              next instanceof CaughtUp
                ? Effect.sync(() => show(next.position))
                : Effect.map(take(next), () => (shown === undefined ? Option.none() : show(next.position))),
            ),
            Stream.filterMap((emitted) => emitted),
          )
        }),
        Stream.unwrap,
      )

    return { stateAt, current, currentWithPosition, changes }
  })

/** How far one projection has been folded. */
interface Folding<S> {
  readonly projection: Projection<S>
  readonly strategy: SnapshotStrategy.SnapshotStrategy<S>
  latest: Positioned<S>
  sinceSnapshot: SnapshotStrategy.FoldProgress
  /** Prevents two callers from folding the same tail twice. */
  readonly lock: Effect.Semaphore
}

/** A fold in progress, and the position it has reached. */
interface Progress<S> {
  position: number
  readonly builder: StateBuilder<S>
}

/** Starts a fold from a state. With `own`, the caller hands that state over. */
const startAt = <S>(projection: Projection<S>, { position, state }: Positioned<S>, own: boolean): Progress<S> => ({
  position,
  builder: begin(projection, state, own),
})

const reachedBy = <S>({ position, builder }: Progress<S>): Positioned<S> => ({ position, state: builder.state() })

/** The type of the event that records the destruction of a subject's key. */
const SHREDDED: CoreName = "PayloadShredded"

const isDevelopment = () => {
  const { NODE_ENV } = process.env
  return NODE_ENV === "test" || NODE_ENV === "development"
}

/** The projector over the `EventLog` in its context, and over its `Snapshots` where there are any. */
export const layerWith = (options: ProjectorOptions): Layer.Layer<Projector, Options.InvalidOptions, EventLog> =>
  Layer.scoped(Projector, Effect.flatMap(Options.decode("Projector.layerWith", ProjectorOptions, options), make))

/** The same with default options. */
export const layer: Layer.Layer<Projector, never, EventLog> = Layer.scoped(Projector, make({}))
