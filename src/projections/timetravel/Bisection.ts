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

/** The first moment of a range at which a predicate holds. */
export interface Bisection {
  readonly predicate: string
  readonly timeline: string
  readonly from: number
  readonly to: number
  /** Null where it does not hold at any moment that was looked at. */
  readonly first: number | null
  /** The event that made it hold; null where it holds at `from` already, or nowhere. */
  readonly event: Event | null
  /**
   * - `scanned`: every moment of the range was looked at that could matter, up to the first;
   * - `galloped`: moments far apart were looked at, halving the range in which it turns true.
   */
  readonly method: "scanned" | "galloped"
  /** Whether no earlier moment can be the first: it was scanned, or the predicate is known to go on holding. */
  readonly certain: boolean
  /** Where it was galloped: how many moments were looked at. */
  readonly probes: number
}

/** Between which moments, and how. */
export interface Range {
  readonly from: number
  readonly to: number
  /** Look at every moment, however long it takes. */
  readonly scan: boolean
  readonly onProgress?: OnProgress
}

/** Events that are scanned rather than galloped over, for they are read in a moment and the answer is certain. */
const SHORT = 1_000

/** Positions among which the first is found in memory, rather than by states of the log. */
const NEAR = 500

/** Moments before the one that was found at which it must not hold, spread evenly: see `bisect`. */
const CHECKS = 8

/**
 * Finds the first moment of a range at which a predicate holds.
 *
 * What is known to depend on few events (those of one task, say) is scanned: that is quick, and certain. So is what looks
 * at events, and what does not hold at the range's end, for it cannot have turned true for good. Else it is taken to turn
 * true once, and its turn is sought by halving the range, going from snapshot to snapshot. That this may be taken is known
 * of some predicates by their form; of others it is tried at moments spread over the range before the one found: if it
 * holds at any of them, everything up to there is scanned. What then remains unlikely, and possible, is that it held for
 * a while between two of them: `certain` is false, and `scan` finds out.
 */
export const bisect = (
  past: TimelineHistory,
  predicate: Predicate,
  range: Range,
): Effect.Effect<Bisection, PredicateFailed | PositionOutOfRange | LogError> =>
  Effect.gen(function* () {
    const { from, to, scan } = range
    const extent = EventFilter.ofPaths(paths(predicate))
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
      ...{ predicate: predicate.source, timeline: past.timeline, from, to, first, event, ...how },
      probes: how.method === "galloped" ? probes : 0,
    })

    const scanned = (until: number) =>
      Effect.gen(function* () {
        const way = { from: { position: from, state: yield* past.stateAt(from) }, until, extent }
        const hits = PredicateTransitions.transitions(past, { predicate }, way, range.onProgress)
        return answer(Option.getOrNull(yield* Stream.runHead(hits)), SCANNED)
      })

    if (predicate.mentionsEvent === true) return yield* scanned(to)
    if (yield* holdsAt(from)) return answer(null, SCANNED, from)
    if (scan && predicate.monotone !== true) return yield* scanned(to)
    if (yield* isShort(past, range, extent)) return yield* scanned(to)
    if (!(yield* holdsAt(to))) return predicate.monotone === true ? answer(null, BY_FORM) : yield* scanned(to)

    let [low, high] = [from, to]
    while (high - low > NEAR) {
      const middle = Math.floor((low + high) / 2)
      if (yield* holdsAt(middle)) high = middle
      else low = middle
    }
    const found = yield* firstBetween(past, { low, high }, holdsIn)
    if (predicate.monotone === true) return answer(found, BY_FORM)
    const before = found.position - 1
    for (let check = 1; check <= CHECKS; check++) {
      const position = from + Math.floor(((before - from) * check) / (CHECKS + 1))
      // It held, and did not later: the first time is before this one.
      if (position > from && (yield* holdsAt(position))) return yield* scanned(position)
    }
    return answer(found, GALLOPED)
  })

const SCANNED = { method: "scanned", certain: true } as const
const GALLOPED = { method: "galloped", certain: false } as const
/** That it goes on holding is known by its form. */
const BY_FORM = { method: "galloped", certain: true } as const

/** Whether few events can matter. */
const isShort = (
  past: TimelineHistory,
  { from, to }: Range,
  extent: EventFilter.EventFilter,
): Effect.Effect<boolean, LogError> =>
  to - from <= SHORT || extent.taskId === undefined
    ? Effect.succeed(to - from <= SHORT)
    : Effect.map(past.readPage({ after: from, until: to, ...extent }, SHORT), (events) => events.length < SHORT)

/** The event that makes a predicate hold between two near moments, of which it holds at the second only. */
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
    // It does not hold before the first of these events and holds after the last, so that there is one.
    return events[at] as Event
  })
