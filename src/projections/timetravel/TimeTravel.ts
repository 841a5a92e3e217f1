/** Queries the recorded past of the environment. Executes nothing. */

import { Context, Effect, Layer, Option, Stream } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import * as Moment from "../../events/read/Moment.ts"
import type { TimelineNotFound } from "../../events/read/Timelines.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { Json } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import type { TaskNotFound } from "../audit/TaskAudit.ts"
import * as JsonPointer from "../patch/JsonPointer.ts"
import { Projector } from "../projector/Projector.ts"
import * as Bisection from "./Bisection.ts"
import * as Consequences from "./Consequences.ts"
import * as Causes from "./causes/Causes.ts"
import * as Diff from "./Diff.ts"
import * as EventFilter from "./EventFilter.ts"
import * as Path from "./Path.ts"
import * as PathState from "./PathState.ts"
import { type Predicate, type PredicateFailed, paths } from "./Predicate.ts"
import * as PredicateReads from "./PredicateReads.ts"
import * as PredicateTransitions from "./PredicateTransitions.ts"
import * as Runs from "./Runs.ts"
import * as TimelineHistory from "./TimelineHistory.ts"
import * as TimeTravelOptions from "./TimeTravelOptions.ts"
import * as ValueChanges from "./ValueChanges.ts"

export type { Decision } from "./alignment/Decision.ts"
export type { DecisionSplit } from "./alignment/DecisionSplit.ts"
export type { RunName } from "./alignment/RunNames.ts"
export type { Bisection } from "./Bisection.ts"
export type { Consequence, Consequences } from "./Consequences.ts"
export type { Cause } from "./causes/Causes.ts"
export type { Difference } from "./Diff.ts"
export { PathInvalid, PathNeverExisted, PathNotFound } from "./Path.ts"
export { type Predicate, PredicateFailed, type PredicateInput } from "./Predicate.ts"
export { PredicatePathNeverExisted } from "./PredicateReads.ts"
export { type Aligned, RunSelector, RunTooLong } from "./Runs.ts"
export type { Pair, TaskAlignment } from "./TaskAlignment.ts"
export type { OnProgress } from "./TimelineHistory.ts"
export { BisectOptions, EffectsOptions, Range } from "./TimeTravelOptions.ts"
export type { ValueChange } from "./ValueChanges.ts"

/** The event that last changed a path, and the resulting value. */
export interface Blame {
  readonly path: string
  readonly timeline: string
  /** The position of the query. */
  readonly at: number
  /** Undefined if the event removed the value. */
  readonly value: Json | undefined
  /** Null if the value is still the initial one. */
  readonly event: Event | null
}

/** Why a moment cannot be located. */
export type MomentError = Moment.LocateError

/** Why a range of moments cannot be queried. */
type RangeError = Options.InvalidOptions | Moment.RangeReversed

/** Why a predicate has no answer. */
type PredicateError = PredicateFailed | PredicateReads.PredicatePathNeverExisted

/** Why a path or a moment cannot be queried. */
type PathError = MomentError | Path.PathInvalid | Path.PathNeverExisted

/**
 * Queries the past of the environment (`EnvironmentState`) on any timeline. A moment is a position, an event id or a
 * time (see `Moment`). Paths are JSON Pointers.
 */
export class TimeTravel extends Context.Tag("hindcast/TimeTravel")<TimeTravel, TimeTravel.Service>() {}

/** The type of the service: `TimeTravel.Service`. */
export declare namespace TimeTravel {
  /** The queries. */
  export interface Service {
    /** Returns the environment's state at a moment, or the part at a path. */
    readonly stateAt: (
      at: Moment.Moment,
      path?: string,
    ) => Effect.Effect<Json, MomentError | Path.PathInvalid | Path.PathNotFound>
    /**
     * Returns the JSON Patch (RFC 6902) from the state at `a` to the state at `b`, possibly on different timelines.
     * Each operation names the last event between the two that changed the value at its path; if `b` is the earlier
     * one, the operation undoes that event. In a list whose length differs, indexes are not comparable, and an
     * operation names the last event that changed the list. RFC 6902, §4 permits the extra member `event`.
     */
    readonly diff: (a: Moment.Moment, b: Moment.Moment) => Effect.Effect<ReadonlyArray<Diff.Difference>, MomentError>
    /**
     * Emits every value that a path has had, oldest first, with the event that set it. For a path that spans tasks (the
     * root, or `/tasks`), each value is limited to the scopes that the event can change: the shared one and its task's.
     */
    readonly history: (
      path: string,
      range?: TimeTravelOptions.Range,
    ) => Stream.Stream<ValueChanges.ValueChange, PathError | RangeError>
    /**
     * Returns the event that last changed the value at a path, up to a moment (default: now): by a new value, a change
     * below the path, or a removal. Writing an equal value is not a change.
     */
    readonly blame: (path: string, at?: Moment.Moment) => Effect.Effect<Blame, PathError>
    /**
     * Returns the event, its cause, the cause's cause, and so on to the root. If a cause is not in the log, the chain
     * ends early with an event that has a `causationId`. A recorded program's call names no answer as its cause: the
     * answer that contains most of the call's values follows it, marked `inferred`.
     */
    readonly why: (event: Moment.Moment) => Effect.Effect<ReadonlyArray<Causes.Cause>, MomentError>
    /**
     * Returns the events that an event caused, directly or through others, in the history of the moment's timeline or
     * of `timeline`. With `forks`, also in the timelines forked from it.
     */
    readonly effects: (
      event: Moment.Moment,
      options?: TimeTravelOptions.EffectsOptions,
    ) => Effect.Effect<Consequences.Consequences, Options.InvalidOptions | MomentError>
    /**
     * Finds the first moment at which a predicate holds: see `Bisection`. Fails if the predicate holds nowhere and
     * reads a path that never existed.
     */
    readonly bisect: (
      predicate: Predicate,
      options?: TimeTravelOptions.BisectOptions,
    ) => Effect.Effect<Bisection.Bisection, PredicateError | MomentError | RangeError>
    /**
     * Emits every event at which a predicate turns true. With a path, evaluates the predicate when the value there
     * changes; it does not hold while there is no value. A predicate that reads the event or the position counts each
     * time it holds. Fails, like `bisect`, if a path never existed.
     */
    readonly watch: (
      path: string | null,
      predicate: Predicate,
      range?: TimeTravelOptions.Range,
    ) => Stream.Stream<Event, PredicateError | PathError | RangeError>
    /**
     * Aligns two tasks or timelines, event by event (`TaskAlignment`), and finds the first decision that differs
     * (`DecisionSplit`).
     */
    readonly align: (
      a: Runs.RunSelector,
      b: Runs.RunSelector,
    ) => Effect.Effect<
      Runs.Aligned,
      Options.InvalidOptions | TaskNotFound | TimelineNotFound | Runs.RunTooLong | LogError
    >
  }
}

/** `TimeTravel.Service`, for imports of this module as a namespace. */
export type Service = TimeTravel.Service

const make = Effect.gen(function* () {
  const log = yield* EventLog
  const projector = yield* Projector
  const pastOf = (timeline: string) => TimelineHistory.of(log, projector, timeline)

  const locate = (moment: Moment.Moment) =>
    Effect.gen(function* () {
      const { timeline, position } = yield* Effect.provideService(Moment.locate(moment), EventLog, log)
      return { past: yield* pastOf(timeline), position }
    })

  const now = Effect.gen(function* () {
    return { past: yield* pastOf(log.timeline), position: (yield* log.head).position }
  })

  /** Locates a range. Its end determines the timeline. */
  const locateRange = (since: Moment.Moment | undefined, until: Moment.Moment | undefined) =>
    Effect.gen(function* () {
      const start = since === undefined ? undefined : yield* locate(since)
      const end =
        until === undefined
          ? { past: start?.past ?? (yield* now).past, position: (yield* log.head).position }
          : yield* locate(until)
      if (start === undefined) return { past: end.past, after: 0, until: end.position }
      const { position: after } = yield* locate(`${end.past.timeline}@${start.position}`)
      return yield* Moment.checkedRange({ past: end.past, after, until: end.position })
    })

  const stateAt = (at: Moment.Moment, path = "") =>
    Effect.gen(function* () {
      const { past, position } = yield* locate(at)
      const parsed = yield* Path.parse(path)
      const state: Json = yield* PathState.at(past, parsed.keys, position)
      const value = JsonPointer.valueAt(state, parsed.keys)
      if (value !== undefined) return value
      // The message lists paths of the whole state.
      return yield* new Path.PathNotFound(Path.missing(yield* past.stateAt(position), parsed, position))
    })

  const diff = (a: Moment.Moment, b: Moment.Moment) =>
    Effect.gen(function* () {
      return yield* Diff.between(yield* locate(a), yield* locate(b))
    })

  const neverExisted = (past: TimelineHistory.TimelineHistory, path: Path.Path, at: number) =>
    Effect.flatMap(past.stateAt(at), (state) => new Path.PathNeverExisted(Path.missing(state, path, at)))

  /** If the stream is empty, fails unless the path ever had a value. */
  const unlessNever = <A, E>(
    results: Stream.Stream<A, E>,
    past: TimelineHistory.TimelineHistory,
    path: Path.Path,
    until: number,
  ) =>
    Stream.orElseIfEmptyStream(results, () =>
      Stream.unwrap(
        Effect.gen(function* () {
          const value = JsonPointer.valueAt(yield* past.stateAt(until), path.keys)
          const existed = value !== undefined || Option.isSome(yield* ValueChanges.last(past, path, until))
          return existed ? Stream.empty : Stream.fromEffect(neverExisted(past, path, until))
        }),
      ),
    )

  const history = (path: string, input: TimeTravelOptions.Range = {}) =>
    Effect.gen(function* () {
      const { since, until, onProgress } = yield* Options.decode("history", TimeTravelOptions.Range, input)
      const parsed = yield* Path.parse(path)
      const range = yield* locateRange(since, until)
      const changes = ValueChanges.between(range.past, parsed, range.after, range.until, onProgress)
      return unlessNever(changes, range.past, parsed, range.until)
    }).pipe(Stream.unwrap)

  const blame = (path: string, at?: Moment.Moment) =>
    Effect.gen(function* () {
      const parsed = yield* Path.parse(path)
      const { past, position } = at === undefined ? yield* now : yield* locate(at)
      const change = yield* ValueChanges.last(past, parsed, position)
      if (Option.isSome(change) && !EventFilter.isWide(parsed.keys)) {
        return { path, timeline: past.timeline, at: position, value: change.value.value, event: change.value.event }
      }
      const value = JsonPointer.valueAt(yield* past.stateAt(position), parsed.keys)
      if (Option.isNone(change) && value === undefined) return yield* neverExisted(past, parsed, position)
      return {
        path,
        timeline: past.timeline,
        at: position,
        value,
        event: Option.match(change, { onNone: () => null, onSome: ({ event }) => event }),
      }
    })

  const eventAt = (moment: Moment.Moment, timeline?: string) =>
    Effect.gen(function* () {
      const located = yield* locate(moment)
      const { past, position } = timeline === undefined ? located : yield* locate(`${timeline}@${located.position}`)
      const [event] = position === 0 ? [] : yield* past.readPage({ after: position - 1, until: position }, 1)
      return { past, event: event ?? (yield* new Moment.EventNotFound({ event: moment, log: log.name })) }
    })

  const why = (moment: Moment.Moment) =>
    Effect.gen(function* () {
      const { past, event } = yield* eventAt(moment)
      return yield* Causes.of(log, past, event)
    })

  return TimeTravel.of({
    stateAt,
    diff,
    history,
    blame,
    why,
    effects: (moment, input = {}) =>
      Effect.gen(function* () {
        const {
          limit = MAX_EFFECTS,
          forks = false,
          timeline,
          ...options
        } = yield* Options.decode("effects", TimeTravelOptions.EffectsOptions, input)
        const { past, event } = yield* eventAt(moment, timeline)
        return yield* Consequences.of(log, past, event, { limit, forks, ...options })
      }),
    bisect: (predicate, input = {}) =>
      Effect.gen(function* () {
        const {
          from,
          to,
          scan = false,
          ...options
        } = yield* Options.decode("bisect", TimeTravelOptions.BisectOptions, input)
        const { past, after, until } = yield* locateRange(from, to)
        const reads = PredicateReads.observe(predicate)
        const found = yield* Bisection.bisect(past, reads.predicate, { from: after, to: until, scan, ...options })
        if (found.first === null) yield* reads.check(past, { after, until })
        return found
      }),
    watch: (path, predicate, input = {}) =>
      Effect.gen(function* () {
        const { since, until, onProgress } = yield* Options.decode("watch", TimeTravelOptions.Range, input)
        const parsed = path === null ? undefined : yield* Path.parse(path)
        const range = yield* locateRange(since, until)
        const from = { position: range.after, state: yield* range.past.stateAt(range.after) }
        const filter = EventFilter.ofPaths(
          parsed === undefined ? paths(predicate) : [parsed.text, ...(predicate.reads ?? [""])],
        )
        const scanRange = { from, until: range.until, filter }
        const reads = PredicateReads.observe(predicate, parsed?.keys)
        const query = { predicate: reads.predicate, ...(parsed === undefined ? {} : { keys: parsed.keys }) }
        const hits = PredicateTransitions.transitions(range.past, query, scanRange, onProgress).pipe(
          Stream.orElseIfEmptyStream(() => Stream.execute(reads.check(range.past, range))),
        )
        return parsed === undefined ? hits : unlessNever(hits, range.past, parsed, range.until)
      }).pipe(Stream.unwrap),
    align: (runA, runB) =>
      Effect.gen(function* () {
        const { a, b } = yield* Options.decode("align", TimeTravelOptions.Both, { a: runA, b: runB })
        const pasts = [yield* pastOf(a.timeline ?? log.timeline), yield* pastOf(b.timeline ?? log.timeline)] as const
        return yield* Runs.align([pasts[0], a], [pasts[1], b])
      }),
  })
})

/** The default limit of `effects`. */
const MAX_EFFECTS = 1_000

/** Time travel over the `EventLog` and the `Projector` in its context. */
export const layer: Layer.Layer<TimeTravel, never, EventLog | Projector> = Layer.effect(TimeTravel, make)
