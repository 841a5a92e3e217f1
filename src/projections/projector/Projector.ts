/**
 * Runs projections over a timeline of the log: the state at a position, the current state, and the stream of its
 * changes. Starts from snapshots if the log has any, and writes new ones.
 */

import { Context, Effect, Layer, Option, Schema, Scope, Stream } from "effect"
import { type DiskFull, EventLog, type Glance, type Head, type LogError } from "../../events/log/EventLog.ts"
import { Snapshots } from "../../events/log/Snapshots.ts"
import { checkedPosition, type PositionOutOfRange } from "../../events/read/Moment.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import * as EventLoopTurn from "../../platform/EventLoopTurn.ts"
import { defined } from "../../values/defined.ts"
import * as Options from "../../values/Options.ts"
import type { Positioned, Projection } from "../fold/Projection.ts"
import * as PurityChecks from "../fold/PurityChecks.ts"
import * as Folding from "./Folding.ts"
import * as PagedFold from "./PagedFold.ts"
import type * as SnapshotSource from "./SnapshotSource.ts"
import * as SnapshotStrategy from "./SnapshotStrategy.ts"
import * as StateChanges from "./StateChanges.ts"

export { PositionOutOfRange } from "../../events/read/Moment.ts"
export { FoldFailed, type Positioned } from "../fold/Projection.ts"

/** Options of a projector. */
export interface ProjectorOptions {
  /**
   * Checks projections for purity, which costs time: freezes their input, and folds some events twice. Default: true if
   * `NODE_ENV` is `test` or `development`.
   */
  readonly checks?: boolean
  /** Reads and writes snapshots if the log keeps any (`Snapshots`). Default: true. */
  readonly snapshots?: boolean
}

/** Schema of the options. */
export const ProjectorOptions = Options.of<ProjectorOptions>({
  optional: { checks: Schema.Boolean, snapshots: Schema.Boolean },
})

/**
 * Runs projections over one timeline: the log's own (`main`), unless `on` selects another. All methods run the same
 * fold. A projection whose `evolve` throws is a defect (`FoldFailed`).
 */
export interface ProjectorService {
  /** Returns the state after the event at this position; the initial state at 0. */
  readonly stateAt: <S>(projection: Projection<S>, at: number) => Effect.Effect<S, PositionOutOfRange | LogError>
  /**
   * Returns the current state. It includes every event committed before the call; of other processes' events, those
   * committed before the turn of the event loop (see `EventLoopTurn`). The last state stays in memory while the
   * projection value is reachable, so each call costs only the new events: reuse one projection value.
   */
  readonly current: <S>(projection: Projection<S>) => Effect.Effect<S, LogError>
  /** Returns the current state and the position of the last event folded into it. */
  readonly currentWithPosition: <S>(projection: Projection<S>) => Effect.Effect<Positioned<S>, LogError>
  /**
   * Emits the state after the existing history, then the state after each later event that changed it. Leaves out no
   * change and never ends by itself.
   */
  readonly changes: <S>(projection: Projection<S>) => Stream.Stream<Positioned<S>, LogError>
  /**
   * Folds to the head and stores a snapshot there, from which later folds start. Fails if the log is read-only.
   *
   * @returns the position of the last event that concerns the projection
   */
  readonly storeSnapshot: <S>(projection: Projection<S>) => Effect.Effect<number, LogError | DiskFull>
  /**
   * Returns the position of the newest snapshot of a projection, without verifying its state (see `SnapshotSearch`).
   */
  readonly snapshotAt: <S>(projection: Projection<S>) => Effect.Effect<number, LogError>
  /** Returns the same service over another timeline of the log. */
  readonly on: (timeline: string) => Effect.Effect<ProjectorService, Timelines.TimelineNotFound | LogError>
}

/** The projector of a log. */
export class Projector extends Context.Tag("hindcast/Projector")<Projector, Projector.Service>() {}

/** The type of the service: `Projector.Service`. */
export declare namespace Projector {
  /** The projector of a log, or of one of its timelines. */
  export type Service = ProjectorService
}

/** `Projector.Service`, for imports of this module as a namespace. */
export type Service = Projector.Service

const make = (options: ProjectorOptions, sharing: ReadonlyArray<SnapshotSource.Combined> = []) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const scope = yield* Effect.scope
    const known = new Map<string, ProjectorService>()

    const over = (view: EventLog.Service) =>
      Effect.gen(function* () {
        const projector = Projector.of({ ...(yield* folding(view, options, sharing)), on })
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

const folding = (
  log: EventLog.Service,
  { checks = isDevelopment(), snapshots = true }: ProjectorOptions,
  sharing: ReadonlyArray<SnapshotSource.Combined>,
) =>
  Effect.gen(function* () {
    const snapshotStore = yield* Effect.serviceOption(Snapshots)
    const strategyOf =
      snapshots && Option.isSome(snapshotStore)
        ? yield* SnapshotStrategy.makeAll(log, snapshotStore.value, { sharing })
        : SnapshotStrategy.none
    const epoch = Option.isSome(snapshotStore) ? snapshotStore.value.epoch : Effect.succeed("")
    const foldings = new WeakMap<object, unknown>()
    const foldPages = PagedFold.over(log)

    const foldingOf = <S>(original: Projection<S>): Folding.Folding<S> => {
      const known = foldings.get(original)
      // Only this function writes to the map, and stores under each projection a folding of its state.
      if (known !== undefined) return known as Folding.Folding<S>
      const projection = checks ? PurityChecks.checked(original) : original
      const folding = Folding.make(projection, strategyOf(original))
      foldings.set(original, folding)
      return folding
    }

    const currentWithPosition = <S>(original: Projection<S>): Effect.Effect<Positioned<S>, LogError> =>
      Effect.suspend(() => {
        const folding = foldingOf(original)
        const turn = EventLoopTurn.current()
        if (folding.currentIn === turn) return Effect.succeed(folding.latest)
        if (log.glance !== undefined) return Effect.flatMap(log.glance, (seen) => currentAt(folding, seen))
        return Effect.flatMap(inEpoch(folding), () => {
          const known = knownWithoutReading(folding)
          return known === undefined ? readCurrent(folding, turn) : Effect.succeed(known)
        })
      })

    /** The last state if no relevant event was committed since; undefined if one may have been. */
    const knownWithoutReading = <S>(folding: Folding.Folding<S>): Positioned<S> | undefined => {
      const { projection, latest, foldedTo } = folding
      if (foldedTo === 0 || log.mayHave === undefined) return undefined
      // Take the turn before the log answers, which may outlast it.
      const turn = EventLoopTurn.current()
      const { types } = projection
      if (log.mayHave({ after: foldedTo, ...defined({ types }) })) return undefined
      folding.currentIn = turn
      return latest
    }

    /** As of a look, which took longer than a turn. */
    const currentAt = <S>(
      folding: Folding.Folding<S>,
      { head, epoch, mayHave }: Glance,
    ): Effect.Effect<Positioned<S>, LogError> => {
      if (Option.isSome(snapshotStore)) toEpoch(folding, epoch)
      const { foldedTo, latest, projection } = folding
      if (foldedTo >= head.position) return Effect.succeed(latest)
      if (foldedTo === 0 || mayHave({ after: foldedTo, ...defined({ types: projection.types }) }))
        return folding.lock.withPermits(1)(
          Effect.suspend(() => {
            // Another caller may have folded as far meanwhile.
            const isFolded = folding.foldedTo >= head.position
            return isFolded ? Effect.succeed(folding.latest) : foldNew(folding, head)
          }),
        )
      folding.foldedTo = head.position
      return Effect.succeed(latest)
    }

    const readCurrent = <S>(folding: Folding.Folding<S>, turn: number) =>
      Effect.flatMap(log.head, ({ position }) =>
        Effect.flatMap(knownAt(folding, position, turn), (known) =>
          known === undefined
            ? folding.lock.withPermits(1)(
                Effect.zipRight(
                  inEpoch(folding),
                  Effect.flatMap(log.head, (head) => foldNew(folding, head)),
                ),
              )
            : Effect.succeed(known),
        ),
      )

    /**
     * The state at a position; undefined if earlier events may not be folded yet. The position was the head in `turn`;
     * the fiber may have yielded since.
     */
    const knownAt = <S>(
      folding: Folding.Folding<S>,
      position: number,
      turn: number,
    ): Effect.Effect<Positioned<S> | undefined, LogError> => {
      const { foldedTo, latest, sinceSnapshot, projection } = folding
      if (foldedTo === position) {
        folding.currentIn = turn
        return Effect.succeed(latest)
      }
      if (projection.types === undefined || foldedTo === 0) return Effect.succeed(undefined)
      const range = { after: foldedTo, until: position, timeline: log.timeline, types: projection.types }
      return Effect.map(log.readPage(range, 1), ({ length }) => {
        // Another caller may have folded or discarded everything in the meantime.
        if (length > 0 || folding.foldedTo !== foldedTo || folding.sinceSnapshot !== sinceSnapshot) return undefined
        folding.foldedTo = position
        folding.currentIn = turn
        return latest
      })
    }

    const foldNew = <S>(folding: Folding.Folding<S>, { position: head }: Head) =>
      Effect.gen(function* () {
        const { sinceSnapshot, latest, projection } = folding
        const range = { after: 0, until: Number.MAX_SAFE_INTEGER, epoch: sinceSnapshot.epoch }
        const snapshot = latest.position === 0 ? yield* folding.strategy.nearest(range) : Option.none()
        const progress = Option.isSome(snapshot)
          ? PagedFold.startAt(projection, snapshot.value, true)
          : PagedFold.startAt(projection, latest, false)
        yield* foldPages(folding, progress, sinceSnapshot, { until: undefined, head }).pipe(
          Effect.onExit((exit) => Effect.sync(() => Folding.keep(folding, sinceSnapshot, progress, exit, head))),
        )
        return PagedFold.reachedBy(progress)
      })

    const current = <S>(projection: Projection<S>) => Effect.map(currentWithPosition(projection), ({ state }) => state)

    const stateAt = <S>(original: Projection<S>, at: number) =>
      Effect.gen(function* () {
        yield* Effect.provideService(checkedPosition(at), EventLog, log)
        const folding = foldingOf(original)
        yield* inEpoch(folding)
        const target = { until: at, head: at }
        const condensed = original.condensed === undefined ? undefined : { tasks: new Set<string>(), isWrong: false }
        const { progress, sinceSnapshot } = yield* Folding.startBelow(folding, at)
        yield* foldPages(folding, progress, sinceSnapshot, target, condensed)
        if (condensed?.isWrong !== true) return progress.builder.state()
        const again = yield* Folding.startBelow(folding, at)
        yield* foldPages(folding, again.progress, again.sinceSnapshot, target)
        return again.progress.builder.state()
      })

    /**
     * Discards the folded states if the log's epoch changed: a subject's key was destroyed, and older events now decode
     * differently.
     */
    const inEpoch = <S>(folding: Folding.Folding<S>) => Effect.map(epoch, (now) => toEpoch(folding, now))

    const toEpoch = <S>(folding: Folding.Folding<S>, now: string) => {
      if (folding.sinceSnapshot.epoch !== now) Folding.discard(folding, now)
    }

    const storeSnapshot = <S>(original: Projection<S>) =>
      Effect.gen(function* () {
        const folding = foldingOf(original)
        yield* inEpoch(folding)
        const { position: head } = yield* log.head
        const { progress, sinceSnapshot } = yield* Folding.startBelow(folding, head)
        yield* foldPages(folding, progress, sinceSnapshot, { until: head, head })
        const { position, builder } = progress
        const [last] = position === 0 ? [] : yield* log.readPage({ after: position - 1, until: position }, 1)
        const chunked = () => builder.chunked?.() ?? builder.state()
        yield* folding.strategy.store({ position, hash: last?.hash ?? "", chunked }, sinceSnapshot.epoch)
        return position
      })

    const snapshotAt = <S>(projection: Projection<S>) =>
      Effect.flatMap(epoch, (now) => foldingOf(projection).strategy.reach(now))

    const changes = <S>(original: Projection<S>) =>
      Effect.map(currentWithPosition(original), (start) =>
        StateChanges.after(log, foldingOf(original).projection, start, (at) => stateAt(original, at)),
      ).pipe(Stream.unwrap)

    return { stateAt, current, currentWithPosition, storeSnapshot, snapshotAt, changes }
  })

const isDevelopment = () => {
  const { NODE_ENV } = process.env
  return NODE_ENV === "test" || NODE_ENV === "development"
}

/** The projector over the `EventLog` in its context, and over its `Snapshots` if there are any. */
export const layerWith = (options: ProjectorOptions): Layer.Layer<Projector, Options.InvalidOptions, EventLog> =>
  Layer.scoped(Projector, Effect.flatMap(Options.decode("Projector.layerWith", ProjectorOptions, options), make))

/**
 * The projector with default options, for programs that also fold combined projections: a fold of one of their parts
 * may start at a snapshot of the whole.
 */
export const layerSharing = (
  ...combined: ReadonlyArray<SnapshotSource.Combined>
): Layer.Layer<Projector, never, EventLog> => Layer.scoped(Projector, make({}, combined))

/** The projector with default options. */
export const layer: Layer.Layer<Projector, never, EventLog> = Layer.scoped(Projector, make({}))
