/** The history of one timeline: its events, its states, and a scan with the change that each event made. */

import { Chunk, Effect, Option, Stream } from "effect"
import type { EventLog, LogError, Query, Span } from "../../events/log/EventLog.ts"
import type { PositionOutOfRange } from "../../events/read/Moment.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { visitInSlices } from "../../platform/yieldToEventLoop.ts"
import { applyAll, type Positioned } from "../fold/Projection.ts"
import type { ProjectorService } from "../projector/Projector.ts"
import { type EnvironmentState, projection, visiting } from "../state/EnvironmentState.ts"
import type { EventFilter } from "./EventFilter.ts"

/** The history of one timeline, including its ancestors up to each fork. */
export interface TimelineHistory {
  readonly timeline: string
  /** Its parts on each timeline, oldest first. */
  readonly spans: ReadonlyArray<Span>
  /** Reads its events, including its ancestors'. */
  readonly readPage: (query: HistoryQuery, limit: number) => Effect.Effect<ReadonlyArray<Event>, LogError>
  /** Returns the environment after the event at a position. */
  readonly stateAt: (position: number) => Effect.Effect<EnvironmentState, PositionOutOfRange | LogError>
}

type HistoryQuery = Omit<Query, "timeline">

/** A scan of the events that pass a filter, from after one position to another. */
export interface ScanRange {
  /** The start. Only the part of its state that the filtered events can change needs to be correct. */
  readonly from: Positioned<EnvironmentState>
  readonly until: number
  readonly filter: EventFilter
}

/**
 * The states before and after an event, limited to the scopes that it can change (the shared one and its task's). They
 * differ at exactly the paths at which the whole states differ.
 */
export interface StateChange {
  readonly before: EnvironmentState
  readonly after: EnvironmentState
}

/** Reports the progress of a long query: the number of positions done, of all positions. */
export type OnProgress = (done: number, of: number) => Effect.Effect<void>

export const of = (
  log: EventLog.Service,
  projector: ProjectorService,
  timeline: string,
): Effect.Effect<TimelineHistory, Timelines.TimelineNotFound | LogError> =>
  Effect.gen(function* () {
    const view = Timelines.view(log, yield* Timelines.named(log, timeline))
    const projecting = timeline === log.timeline ? projector : yield* projector.on(timeline)
    return {
      timeline,
      spans: view.spans,
      readPage: (query, limit) => view.readPage({ ...query, timeline }, limit),
      stateAt: (position) => projecting.stateAt(projection, position),
    }
  })

/** The last position that two histories share. */
export const sharedBy = (a: TimelineHistory, b: TimelineHistory): number => {
  let shared = 0
  for (const [index, span] of a.spans.entries()) {
    const other = b.spans[index]
    if (other?.timeline !== span.timeline) break
    shared = Math.min(span.until, other.until)
    if (span.until !== other.until) break
  }
  return shared
}

/**
 * Calls `visit` with each event of a range and its change, in order, and emits the defined results. Keeps one page of
 * events in memory.
 */
export const scan = <A>(
  past: TimelineHistory,
  { from, until, filter }: ScanRange,
  visit: (event: Event, change: StateChange | undefined) => A | undefined,
  onProgress?: OnProgress,
): Stream.Stream<A, LogError> =>
  Stream.suspend(() => {
    let change: StateChange | undefined
    const builder = visiting(from.state, (before, after) => {
      change = { before, after }
    })
    const visitEvent = (event: Event): A | undefined => {
      change = undefined
      applyAll(projection, builder, [event])
      return visit(event, change)
    }
    return pages(past, { after: from.position, until, ...filter }, onProgress).pipe(
      Stream.mapEffect((page) => definedOf(page, visitEvent)),
      Stream.flattenChunks,
    )
  })

/**
 * Visits each event of a page and returns the defined results. Yields to the event loop in between, because a visit may
 * evaluate an expression.
 */
export const definedOf = <A>(
  page: Chunk.Chunk<Event>,
  visit: (event: Event) => A | undefined,
): Effect.Effect<Chunk.Chunk<A>> =>
  Effect.suspend(() => {
    const found: Array<A> = []
    const visiting = visitInSlices(Chunk.toReadonlyArray(page), (event) => {
      const result = visit(event)
      if (result !== undefined) found.push(result)
    })
    return Effect.map(visiting, () => Chunk.unsafeFromArray(found))
  })

/** Streams the pages of events after one position up to another, with progress after each. */
export const pages = (
  past: TimelineHistory,
  query: HistoryQuery & { readonly after: number; readonly until: number },
  onProgress: OnProgress = () => Effect.void,
): Stream.Stream<Chunk.Chunk<Event>, LogError> => {
  const { after, until } = query
  return Pages.stream(past.readPage, query).pipe(
    Stream.chunks,
    Stream.tap((page) => {
      const { position } = Option.getOrElse(Chunk.last(page), () => ({ position: until }))
      return onProgress(position - after, until - after)
    }),
  )
}
