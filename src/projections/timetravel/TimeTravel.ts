/** Time travel: queries over the recorded past of the environment. It executes nothing. */

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

export type { Bisection } from "./Bisection.ts"
export type { Consequence, Consequences } from "./Consequences.ts"
export type { Cause } from "./causes/Causes.ts"
export type { Difference } from "./Diff.ts"
export { PathInvalid, PathNeverExisted, PathNotFound } from "./Path.ts"
export { type Predicate, PredicateFailed, type PredicateInput } from "./Predicate.ts"
export { PredicatePathNeverExisted } from "./PredicateReads.ts"
export { type Aligned, Run, RunTooLong } from "./Runs.ts"
export type { Pair, TaskAlignment } from "./TaskAlignment.ts"
export type { OnProgress } from "./TimelineHistory.ts"
export { BisectOptions, EffectsOptions, Range } from "./TimeTravelOptions.ts"
export type { ValueChange } from "./ValueChanges.ts"

/** The event that last changed a path, and the value it gave it. */
export interface Blame {
  readonly path: string
  readonly timeline: string
  /** The position asked about. */
  readonly at: number
  /** The value; `undefined` if the event removed it. */
  readonly value: Json | undefined
  /** The event that last changed the value; null if the value is still the initial one. */
  readonly event: Event | null
}

/** Why a position cannot be located. */
export type MomentError = Moment.LocateError

/** Why a range of moments is none. */
type RangeError = Options.InvalidOptions | Moment.RangeReversed

/** Why a predicate has no answer. */
type PredicateError = PredicateFailed | PredicateReads.PredicatePathNeverExisted

/** Why a path or a moment cannot be asked about. */
type PathError = MomentError | Path.PathInvalid | Path.PathNeverExisted

/**
 * Queries the past of the environment (`EnvironmentState`) on any timeline. Wherever a moment is expected, a position,
 * an event id or a time is accepted (see `Moment`). Paths are JSON Pointers.
 */
export class TimeTravel extends Context.Tag("hindcast/TimeTravel")<TimeTravel, TimeTravel.Service>() {}

/** The type of the service: `TimeTravel.Service`. */
export declare namespace TimeTravel {
  /** What can be asked of a log's past. */
  export interface Service {
    /** The state of the environment at a moment, or the part of it at a path. */
    readonly stateAt: (
      at: Moment.Moment,
      path?: string,
    ) => Effect.Effect<Json, MomentError | Path.PathInvalid | Path.PathNotFound>
    /**
     * The JSON Patch (RFC 6902) that turns the state at `a` into the state at `b`; the two may be on different
     * timelines. Each operation names the last event between the two that changed the value at its path. If `b` is the
     * earlier one, that is the last event which the operation undoes. Inside a list whose length differs, indexes are
     * not comparable, and an operation names the last event that changed the list. The extra member `event` is
     * permitted in a patch (§4).
     */
    readonly diff: (a: Moment.Moment, b: Moment.Moment) => Effect.Effect<ReadonlyArray<Diff.Difference>, MomentError>
    /**
     * Every value that a path has had, oldest first, with the event that set it. For a path that spans tasks (the root,
     * or `/tasks`), the values are limited to the scopes that the event can change: the shared one and its task's.
     */
    readonly history: (
      path: string,
      range?: TimeTravelOptions.Range,
    ) => Stream.Stream<ValueChanges.ValueChange, PathError | RangeError>
    /**
     * The event that set the value which a path has at a moment (default: now): a new value, a change below it, or its
     * removal. Writing an equal value again is not a change.
     */
    readonly blame: (path: string, at?: Moment.Moment) => Effect.Effect<Blame, PathError>
    /**
     * Why an event happened: the event, its cause, the cause's cause, and so on to the root. The chain ends early if a
     * cause is not in the log; its last event then still has a `causationId`. A call of a recorded program names no answer
     * as its cause: the answer in which most of its values occur follows it, as `inferred`.
     */
    readonly why: (event: Moment.Moment) => Effect.Effect<ReadonlyArray<Causes.Cause>, MomentError>
    /**
     * The consequences of an event: the events it caused, those they caused, and so on, in the history of one timeline:
     * that of the moment, or the one that `timeline` names. With `forks`, also in the timelines that were forked from it.
     */
    readonly effects: (
      event: Moment.Moment,
      options?: TimeTravelOptions.EffectsOptions,
    ) => Effect.Effect<Consequences.Consequences, Options.InvalidOptions | MomentError>
    /**
     * The first moment at which a predicate holds, and how it was found: see `Bisection`. If it holds nowhere and reads a
     * path that never existed, that is an error and no answer.
     */
    readonly bisect: (
      predicate: Predicate,
      options?: TimeTravelOptions.BisectOptions,
    ) => Effect.Effect<Bisection.Bisection, PredicateError | MomentError | RangeError>
    /**
     * Every event at which a predicate turns true: a breakpoint on the past. With a path, the predicate is evaluated
     * when the value there changes, and does not hold while there is none. A predicate that reads the event or the
     * position counts each time it holds. A path that never existed is an error, as with `bisect`.
     */
    readonly watch: (
      path: string | null,
      predicate: Predicate,
      range?: TimeTravelOptions.Range,
    ) => Stream.Stream<Event, PredicateError | PathError | RangeError>
    /** Aligns two tasks or timelines, event by event: see `TaskAlignment`. */
    readonly align: (
      a: Runs.Run,
      b: Runs.Run,
    ) => Effect.Effect<
      Runs.Aligned,
      Options.InvalidOptions | TaskNotFound | TimelineNotFound | Runs.RunTooLong | LogError
    >
  }
}

/** `TimeTravel.Service`, under a shorter name where this module is imported as a namespace. */
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

  /** The current position on the log's own timeline. */
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
      // The whole state says which paths there are instead.
      return yield* new Path.PathNotFound(Path.missing(yield* past.stateAt(position), parsed, position))
    })

  const diff = (a: Moment.Moment, b: Moment.Moment) =>
    Effect.gen(function* () {
      return yield* Diff.between(yield* locate(a), yield* locate(b))
    })

  const neverExisted = (past: TimelineHistory.TimelineHistory, path: Path.Path, at: number) =>
    Effect.flatMap(past.stateAt(at), (state) => new Path.PathNeverExisted(Path.missing(state, path, at)))

  /** Fails at the end of an empty stream if there was never a value at the path. */
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
