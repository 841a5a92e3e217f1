import { Chunk, Effect, Option, Stream } from "effect"
import type { EventLog, LogError, Query, Span } from "../../events/log/EventLog.ts"
import type { PositionOutOfRange } from "../../events/read/Moment.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { applyAll, type Positioned } from "../fold/Projection.ts"
import type { ProjectorService } from "../projector/Projector.ts"
import { type EnvironmentState, projection, visiting } from "../state/EnvironmentState.ts"
import type { EventFilter } from "./EventFilter.ts"

/** The past of one timeline. */
export interface TimelineHistory {
  readonly timeline: string
  /** What its history is made of, oldest first. */
  readonly spans: ReadonlyArray<Span>
  /** Its events, its ancestors' included. */
  readonly readPage: (query: Part, limit: number) => Effect.Effect<ReadonlyArray<Event>, LogError>
  /** The environment as it stood after the event at a position. */
  readonly stateAt: (position: number) => Effect.Effect<EnvironmentState, PositionOutOfRange | LogError>
}

type Part = Omit<Query, "timeline">

/** A way through the past: the events of an extent after one moment, up to another. */
export interface ScanRange {
  /** Where it starts. Of the state there, only what the extent's events can change has to be right. */
  readonly from: Positioned<EnvironmentState>
  readonly until: number
  readonly extent: EventFilter
}

/**
 * What an event changed: the state before and after, cut down to what the event can change, which is the shared scope and
 * its own task's. At every path the two differ exactly where the whole states do.
 */
export interface StateChange {
  readonly before: EnvironmentState
  readonly after: EnvironmentState
}

/** How far a long question has come: positions that are behind it, of all it has to pass. */
export type OnProgress = (done: number, of: number) => Effect.Effect<void>

/** The past of a timeline. */
export const of = (
  log: typeof EventLog.Service,
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

/** Up to which position two pasts are one and the same. */
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
 * Goes a way and looks at every event, in order, with what it changed; what `look` answers is passed on. It holds one page
 * of events at a time.
 */
export const scan = <A>(
  past: TimelineHistory,
  { from, until, extent }: ScanRange,
  look: (event: Event, change: StateChange | undefined) => A | undefined,
  onProgress?: OnProgress,
): Stream.Stream<A, LogError> =>
  Stream.suspend(() => {
    let change: StateChange | undefined
    const draft = visiting(from.state, (before, after) => {
      change = { before, after }
    })
    const lookAt = (event: Event): ReadonlyArray<A> => {
      change = undefined
      applyAll(projection, draft, [event])
      const seen = look(event, change)
      return seen === undefined ? [] : [seen]
    }
    return pages(past, { after: from.position, until, ...extent }, onProgress).pipe(
      Stream.map((page) => Chunk.fromIterable(Chunk.toReadonlyArray(page).flatMap(lookAt))),
      Stream.flattenChunks,
    )
  })

/** Pages of events after one position and up to another, in order; how far they have come is told. */
export const pages = (
  past: TimelineHistory,
  query: Part & { readonly after: number; readonly until: number },
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
