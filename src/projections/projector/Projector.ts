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

/** Their schema. */
export const ProjectorOptions = Options.of<ProjectorOptions>({
  optional: { checks: Schema.Boolean, snapshots: Schema.Boolean },
})

/** Events folded at a time: one page is read while nothing else is held. A rung can be laid after each. */
const PAGE = SnapshotStrategy.POLICY.minEvents

/**
 * Events of the first page; each one after it is twice as long, up to `PAGE`. V8 watches at first which objects live long,
 * and from then on allocates such as old: after long pages that was every event, for a third more time and 80 MiB more
 * over 1,000,000 events.
 */
const FIRST_PAGE = 64

/**
 * Runs projections over a timeline, which is the log's (`main`) unless another is named: as it stood, as it stands, as it
 * changes. All three are the same fold. A projection whose `evolve` throws is a defect (`FoldFailed`), not an error to handle.
 */
export interface ProjectorService {
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
  /** The same over another timeline of the log. */
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
    const kept = yield* Effect.serviceOption(Snapshots)
    const ladderOf =
      snapshots && Option.isSome(kept) ? yield* SnapshotStrategy.makeAll(log, kept.value) : SnapshotStrategy.none
    const epoch = Option.isSome(kept) ? kept.value.epoch : Effect.succeed("")
    const foldings = new WeakMap<object, unknown>()
    let pageSize = FIRST_PAGE

    const foldingOf = <S>(given: Projection<S>): Folding<S> => {
      const known = foldings.get(given)
      // Only this function writes to the map, and always a folding of the key's own state.
      if (known !== undefined) return known as Folding<S>
      const projection = checks ? PurityChecks.checked(given) : given
      const folding: Folding<S> = {
        projection,
        ladder: ladderOf(projection),
        latest: { position: 0, state: projection.initial },
        climb: SnapshotStrategy.start(""),
        lock: Effect.unsafeMakeSemaphore(1),
      }
      foldings.set(given, folding)
      return folding
    }

    /** Folds page after page, up to a position or to the log's end, and lays rungs on its way. */
    const foldOn = <S>(
      { projection, ladder }: Folding<S>,
      progress: Progress<S>,
      climb: SnapshotStrategy.FoldProgress,
      until: number | undefined,
    ): Effect.Effect<void, LogError> =>
      Effect.gen(function* () {
        for (;;) {
          const limit = pageSize
          const step = yield* foldPage(projection, progress, until, limit)
          yield* ladder.climbed(climb, step)
          if (step.events < limit) return
          pageSize = Math.min(PAGE, limit * 2)
          // A page takes milliseconds to fold: others get their turn in between.
          yield* yieldToEventLoop
        }
      })

    /** Nothing holds on to the events of a page once they are folded: memory is of one page at a time. */
    const foldPage = <S>(
      projection: Projection<S>,
      progress: Progress<S>,
      until: number | undefined,
      limit: number,
    ): Effect.Effect<SnapshotStrategy.Step, LogError> => {
      const range = { after: progress.position, ...(until === undefined ? {} : { until }), timeline: log.timeline }
      return Effect.map(log.readPage(range, limit), (page) => {
        applyAll(projection, progress.draft, page)
        const last = page.at(-1)
        progress.position = last?.position ?? progress.position
        return {
          events: page.length,
          bytes: SnapshotStrategy.sizeOf(page),
          position: progress.position,
          hash: last?.hash ?? "",
          paged: () => progress.draft.paged?.() ?? progress.draft.state(),
        }
      })
    }

    const currentWithPosition = <S>(given: Projection<S>) =>
      Effect.suspend(() => {
        const folding = foldingOf(given)
        return Effect.gen(function* () {
          yield* inEpoch(folding)
          const { climb, latest, projection } = folding
          const range = { after: 0, until: Number.MAX_SAFE_INTEGER, epoch: climb.epoch }
          const rung = latest.position === 0 ? yield* folding.ladder.highest(range) : Option.none()
          const progress = Option.isSome(rung)
            ? startAt(projection, rung.value, true)
            : startAt(projection, latest, false)
          yield* foldOn(folding, progress, climb, undefined).pipe(
            Effect.onExit((exit) => Effect.sync(() => keep(folding, climb, progress, exit))),
          )
          return reachedBy(progress)
        }).pipe(folding.lock.withPermits(1))
      })

    /** Keeps what was folded, also where reading has failed or was interrupted on the way; not what a defect has left. */
    const keep = <S>(
      folding: Folding<S>,
      climb: SnapshotStrategy.FoldProgress,
      progress: Progress<S>,
      exit: Exit.Exit<void, LogError>,
    ) => {
      const isWhole = Exit.isSuccess(exit) || !Cause.isDie(exit.cause)
      // Unless all was forgotten meanwhile.
      if (isWhole && folding.climb === climb) folding.latest = reachedBy(progress)
    }

    const current = <S>(projection: Projection<S>) => Effect.map(currentWithPosition(projection), ({ state }) => state)

    const stateAt = <S>(given: Projection<S>, at: number) =>
      Effect.gen(function* () {
        yield* Effect.provideService(withinLog(at), EventLog, log)
        const folding = foldingOf(given)
        yield* inEpoch(folding)
        const { progress, climb } = yield* startBelow(folding, at)
        yield* foldOn(folding, progress, climb, at)
        return progress.draft.state()
      })

    /** Forgets what was folded from events that are read in another way by now: a subject's key was destroyed since. */
    const inEpoch = <S>(folding: Folding<S>) =>
      Effect.map(epoch, (now) => {
        if (folding.climb.epoch === now) return
        folding.latest = { position: 0, state: folding.projection.initial }
        folding.climb = SnapshotStrategy.start(now)
      })

    /** Where a fold to a position begins, and how far that is from the rung below it. */
    const startBelow = <S>({ projection, ladder, latest, climb }: Folding<S>, at: number) =>
      Effect.gen(function* () {
        const known =
          latest.position <= at
            ? { from: latest, climb: { ...climb } }
            : { from: { position: 0, state: projection.initial }, climb: SnapshotStrategy.start(climb.epoch) }
        const after = known.from.position
        if (at - after >= SnapshotStrategy.POLICY.minEvents) {
          const rung = yield* ladder.highest({ after, until: at, epoch: climb.epoch })
          if (Option.isSome(rung)) {
            return { progress: startAt(projection, rung.value, true), climb: SnapshotStrategy.start(climb.epoch) }
          }
        }
        return { progress: startAt(projection, known.from, false), climb: known.climb }
      })

    const changes = <S>(given: Projection<S>) =>
      currentWithPosition(given).pipe(
        Effect.map((start) => {
          const { projection } = foldingOf(given)
          let draft = begin(projection, start.state)
          let shown: Positioned<S> | undefined

          const show = (position: number) => {
            const state = draft.state()
            if (shown !== undefined && state === shown.state) return Option.none()
            shown = { position, state }
            return Option.some(shown)
          }
          const take = (event: Event): Effect.Effect<void, LogError> => {
            if (event.type !== SHREDDED) return Effect.sync(() => applyAll(projection, draft, [event]))
            // A key was destroyed: all that came before reads in another way. The event's position is within its log.
            return stateAt(given, event.position).pipe(
              Effect.catchTag("PositionOutOfRange", (error) => Effect.die(error)),
              Effect.map((state) => {
                draft = begin(projection, state)
              }),
            )
          }
          return log.follow({ after: start.position, timeline: log.timeline }).pipe(
            Stream.mapEffect((next) =>
              next instanceof CaughtUp
                ? Effect.sync(() => show(next.position))
                : Effect.map(take(next), () => (shown === undefined ? Option.none() : show(next.position))),
            ),
            Stream.filterMap((seen) => seen),
          )
        }),
        Stream.unwrap,
      )

    return { stateAt, current, currentWithPosition, changes }
  })

/** How far one projection has been folded. */
interface Folding<S> {
  readonly projection: Projection<S>
  readonly ladder: SnapshotStrategy.SnapshotStrategy<S>
  latest: Positioned<S>
  climb: SnapshotStrategy.FoldProgress
  /** Keeps two callers from folding the same tail twice. */
  readonly lock: Effect.Semaphore
}

/** A fold under way, and how far it has come. */
interface Progress<S> {
  position: number
  readonly draft: StateBuilder<S>
}

/** Begins to fold from somewhere. With `own`, that state is nobody else's. */
const startAt = <S>(projection: Projection<S>, { position, state }: Positioned<S>, own: boolean): Progress<S> => ({
  position,
  draft: begin(projection, state, own),
})

const reachedBy = <S>({ position, draft }: Progress<S>): Positioned<S> => ({ position, state: draft.state() })

/** The type of the event that says that a subject's key was destroyed. */
const SHREDDED: CoreName = "PayloadShredded"

const isDevelopment = () => {
  const { NODE_ENV } = process.env
  return NODE_ENV === "test" || NODE_ENV === "development"
}

/** The projector over the `EventLog` it is given, and over its `Snapshots` where it has any. */
export const layerWith = (options: ProjectorOptions): Layer.Layer<Projector, Options.InvalidOptions, EventLog> =>
  Layer.scoped(Projector, Effect.flatMap(Options.decode("Projector.layerWith", ProjectorOptions, options), make))

/** The same, by the defaults. */
export const layer: Layer.Layer<Projector, never, EventLog> = Layer.scoped(Projector, make({}))
