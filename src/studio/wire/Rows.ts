/** The rows of the list of events: which events are rows, and the rows of a whole timeline. */
import type { Brief } from "./CourseSlice.ts"
import type { Kind } from "./Kind.ts"
import type { Span } from "./Spans.ts"

/** Number of rows in an answer. */
export const ROWS = 200

/** Maximum number of named agents, and of named plugins, in an answer: the first ones of the timeline. */
export const MOST_NAMES = 500

/** Maximum number of calls that a request shows the other way round. */
export const MOST_TURNED = 500

/** Conditions on an event; empty ones hold for all. */
export interface EventFilter {
  /** A kind (`Kind`). */
  readonly kind: string
  readonly agent: string
  readonly plugin: string
}

export const isFiltering = ({ kind, agent, plugin }: EventFilter): boolean =>
  kind !== "" || agent !== "" || plugin !== ""

/**
 * `GET /api/rows?timeline=…&kind=…&agent=…&plugin=…&folded=true&turned=N,N&row=N` or `…&at=POSITION`: `ROWS` rows
 * of all events of a timeline, from a multiple of `ROWS` on, and with `at` those around a position.
 */
export interface TimelineRows {
  /** The number of all rows up to `until`. */
  readonly length: number
  /** The number of events up to `until` that the filter leaves out. */
  readonly hidden: number
  /** The position of the last event that the answer covers. */
  readonly until: number
  /** Whether it covers the timeline. The server reads a long one in the background: then, ask again. */
  readonly isWhole: boolean
  /** The number of the first of `rows`, counted from 0. */
  readonly first: number
  readonly rows: ReadonlyArray<RowOfTimeline>
  /** The kinds of all events, whatever the filter, each with its number of events. */
  readonly kinds: ReadonlyArray<readonly [kind: Kind, events: number]>
  readonly agents: ReadonlyArray<string>
  readonly plugins: ReadonlyArray<string>
}

export interface RowOfTimeline {
  readonly position: number
  readonly brief: Brief
  /** The call that the event is part of. */
  readonly call: Span | null
  /** Whether it is a later event of an opened call, whose first event is a row, too. */
  readonly isPart: boolean
}

/** Events in order, by their indexes from 0. */
export interface RowSource {
  readonly length: number
  /** The position of the first event of its call; 0 without one. */
  readonly callAt: (index: number) => number
  readonly isFirst: (index: number) => boolean
  /** Whether an event satisfies the filter; null if all do. */
  readonly holds: ((index: number) => boolean) | null
  /** Whether a call, by the position of its first event, is opened. */
  readonly isOpen: (call: number) => boolean
}

/**
 * The indexes of the events that are rows, and how many the filter leaves out. A call is shown whole if one of its events
 * satisfies the filter. Of a folded call, only the first event is a row.
 */
export const rowsOf = ({ length, callAt, isFirst, holds, isOpen }: RowSource) => {
  const satisfying = new Set<number>()
  for (let index = 0; holds !== null && index < length; index++) {
    const call = callAt(index)
    if (call !== 0 && holds(index)) satisfying.add(call)
  }
  const rows: Array<number> = []
  let hidden = 0
  for (let index = 0; index < length; index++) {
    const call = callAt(index)
    if (holds !== null && !(call === 0 ? holds(index) : satisfying.has(call))) hidden += 1
    else if (call === 0 || isFirst(index) || isOpen(call)) rows.push(index)
  }
  return { rows, hidden }
}
