/** Bisects the recorded past, as `git bisect` does with commits. */

import { Effect, Option, Stream } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import type { PositionOutOfRange } from "../../events/read/Moment.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { fold } from "../fold/Projection.ts"
import { type EnvironmentState, projection } from "../state/EnvironmentState.ts"
import * as EventFilter from "./EventFilter.ts"
import { ask, type Predicate, type PredicateFailed, paths } from "./Predicate.ts"
import * as PredicateTransitions from "./PredicateTransitions.ts"
import type { OnProgress, TimelineHistory } from "./TimelineHistory.ts"

/** The result of a bisection. */
export interface Bisection {
  readonly predicate: string
  readonly timeline: string
  readonly from: number
  readonly to: number
  /** The first position at which the predicate holds; null if it holds at no examined position. */
  readonly first: number | null
  /** The event that made it hold; null if it already holds at `from`, or nowhere. */
  readonly event: Event | null
  /**
   * - `scanned`: every relevant event was examined, up to the first hit;
   * - `galloped`: binary search, which examined only a few positions.
   */
  readonly method: "scanned" | "galloped"
  /** Whether no earlier position can be the first: the range was scanned, or the predicate is known to be monotonic. */
  readonly certain: boolean
  /** The number of positions that `galloped` examined; otherwise 0. */
  readonly probes: number
}

/** The range of a bisection. */
export interface Range {
  readonly from: number
  readonly to: number
  /** Examines every event, however long it takes. */
  readonly scan: boolean
  readonly onProgress?: OnProgress
}

/** Ranges of at most this many events are scanned, which is quick and gives a certain result. */
const MAX_SCANNED_EVENTS = 1_000

/** Below this length, the search folds the events in memory instead of reading more states. */
const MAX_FOLDED_EVENTS = 500

/** Number of positions before the result at which the predicate is tested: see `bisect`. */
const PROBES = 8

/**
 * Finds the first position of a range at which a predicate holds.
 *
 * Scans the range if few events can change the answer, if the predicate reads the event or the position, or if it does
 * not hold at the end of the range (unless it is known to be monotonic: then it holds nowhere).
 *
 * Otherwise assumes that the predicate is monotonic (false, then true) and searches the range by halving, from snapshot
 * to snapshot. The form of some predicates proves that they are monotonic. For the others, it then tests positions
 * spread over the range before the result, and if the predicate holds at one of them, scans everything up to there. If
 * it holds at none, `certain` is false: the predicate could have held between two tests. `scan` makes the result
 * certain.
 */
export const bisect = (
  past: TimelineHistory,
  predicate: Predicate,
  range: Range,
): Effect.Effect<Bisection, PredicateFailed | PositionOutOfRange | LogError> =>
  Effect.gen(function* () {
    const { from, to, scan } = range
    const filter = EventFilter.ofPaths(paths(predicate))
    let probes = 0
    const holdsIn = (state: EnvironmentState, event: Event | null, position: number) => {
      probes += 1
      return ask(predicate, { state, event, position, value: undefined })
    }
    const holdsAt = (position: number) =>
      Effect.flatMap(past.stateAt(position), (state) => holdsIn(state, null, position))
    const answer = (
      event: Event | null,
      how: Pick<Bisection, "method" | "certain">,
      first = event?.position ?? null,
    ) => ({
      predicate: predicate.source,
      timeline: past.timeline,
      from,
      to,
      first,
      event,
      ...how,
      probes: how.method === "galloped" ? probes : 0,
    })

    const scanned = (until: number) =>
      Effect.gen(function* () {
        const scanRange = { from: { position: from, state: yield* past.stateAt(from) }, until, filter }
        const hits = PredicateTransitions.transitions(past, { predicate }, scanRange, range.onProgress)
        return answer(Option.getOrNull(yield* Stream.runHead(hits)), SCANNED)
      })

    if (predicate.mentionsEvent === true) return yield* scanned(to)
    if (yield* holdsAt(from)) return answer(null, SCANNED, from)
    if (scan && predicate.monotone !== true) return yield* scanned(to)
    if (yield* isShort(past, range, filter)) return yield* scanned(to)
    if (!(yield* holdsAt(to))) return predicate.monotone === true ? answer(null, KNOWN_MONOTONIC) : yield* scanned(to)

    let [low, high] = [from, to]
    while (high - low > MAX_FOLDED_EVENTS) {
      const middle = Math.floor((low + high) / 2)
      if (yield* holdsAt(middle)) high = middle
      else low = middle
    }
    const found = yield* firstBetween(past, { low, high }, holdsIn)
    if (predicate.monotone === true) return answer(found, KNOWN_MONOTONIC)
    const before = found.position - 1
    for (let check = 1; check <= PROBES; check++) {
      const position = from + Math.floor(((before - from) * check) / (PROBES + 1))
      // The predicate held here and not later: the first position is this one or an earlier one.
      if (position > from && (yield* holdsAt(position))) return yield* scanned(position)
    }
    return answer(found, GALLOPED)
  })

const SCANNED = { method: "scanned", certain: true } as const
const GALLOPED = { method: "galloped", certain: false } as const
const KNOWN_MONOTONIC = { method: "galloped", certain: true } as const

const isShort = (
  past: TimelineHistory,
  { from, to }: Range,
  filter: EventFilter.EventFilter,
): Effect.Effect<boolean, LogError> =>
  to - from <= MAX_SCANNED_EVENTS || filter.taskId === undefined
    ? Effect.succeed(to - from <= MAX_SCANNED_EVENTS)
    : Effect.map(
        past.readPage({ after: from, until: to, ...filter }, MAX_SCANNED_EVENTS),
        (events) => events.length < MAX_SCANNED_EVENTS,
      )

/** The event that makes a predicate hold within a short range: it does not hold at the start, but at the end. */
const firstBetween = (
  past: TimelineHistory,
  { low, high }: { readonly low: number; readonly high: number },
  holdsIn: (state: EnvironmentState, event: Event, position: number) => ReturnType<typeof ask>,
) =>
  Effect.gen(function* () {
    const start = yield* past.stateAt(low)
    const events = yield* past.readPage({ after: low, until: high }, high - low)
    let [before, at] = [-1, events.length - 1]
    while (at - before > 1) {
      const middle = Math.floor((before + at) / 2)
      const event = events[middle] as Event
      const state = fold(projection, events.slice(0, middle + 1), start)
      if (yield* holdsIn(state, event, event.position)) at = middle
      else before = middle
    }
    // The predicate holds after the last of these events, so the event exists.
    return events[at] as Event
  })
