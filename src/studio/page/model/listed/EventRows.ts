/** The rows of the list of events: a call is one row, which can be opened, and a filter leaves out unwanted events. */
import type { Kind } from "../../../wire/Kind.ts"
import type { Span } from "../../../wire/Spans.ts"
import type { CourseOfTask } from "../Course.ts"
import { lastNotAbove } from "../Course.ts"
import type { SpansOfTask } from "./SpansOfTask.ts"

/** Conditions on an event; empty ones hold for all. */
export interface EventFilter {
  /** A kind (`Kind`). */
  readonly kind: string
  readonly agent: string
  readonly plugin: string
}

export const isFiltering = ({ kind, agent, plugin }: EventFilter): boolean =>
  kind !== "" || agent !== "" || plugin !== ""

export interface EventRow {
  readonly position: number
  /** The call that the row represents or belongs to. */
  readonly call: Span | undefined
  /** Whether it is one event of an opened call. */
  readonly isPart: boolean
}

export interface Showing {
  readonly filter: EventFilter
  /** Whether calls are one row each. */
  readonly folded: boolean
  /** The first positions of calls that are the other way round. */
  readonly turned: ReadonlySet<number>
}

export class EventRows {
  readonly rows: ReadonlyArray<EventRow>
  /** How many events the filter leaves out. */
  readonly hidden: number
  readonly #positions: ReadonlyArray<number>

  /** @param spans null while they load: then every event is a row */
  constructor(course: CourseOfTask, spans: SpansOfTask | null, { filter, folded, turned }: Showing) {
    const rows: Array<EventRow> = []
    const holds = conditionOf(course, spans, filter)
    let hidden = 0
    for (let index = 0; index < course.length; index++) {
      const position = course.positions[index] ?? 0
      const call = spans?.callAt(position)
      if (call === undefined) {
        if (holds(index)) rows.push({ position, call, isPart: false })
        else hidden += 1
        continue
      }
      const isFirst = position === call.events[0]
      const isFolded = turned.has(call.from) !== folded
      // A call is shown whole if one of its events satisfies the filter.
      if (!call.events.some((at) => holds(course.indexAt(at)))) hidden += 1
      else if (isFirst || !isFolded) rows.push({ position, call, isPart: !isFirst })
    }
    this.rows = rows
    this.hidden = hidden
    this.#positions = rows.map((row) => row.position)
  }

  get length(): number {
    return this.rows.length
  }

  /**
   * The row of a position: its own, or its call's. If the filter leaves it out, the last row before it, possibly -1, is
   * `near`.
   */
  find(position: number, spans: SpansOfTask | null): { readonly row: number; readonly isNear: boolean } {
    const own = lastNotAbove(this.#positions, position)
    if (this.#positions[own] === position) return { row: own, isNear: false }
    const first = spans?.callAt(position)?.events[0] ?? -1
    const ofCall = lastNotAbove(this.#positions, first)
    if (ofCall >= 0 && this.#positions[ofCall] === first) return { row: ofCall, isNear: false }
    return { row: own, isNear: true }
  }

  /** The position of the next row in a direction; null at the end. */
  next(position: number, by: number): number | null {
    const at = lastNotAbove(this.#positions, position)
    const start = by < 0 && this.#positions[at] !== position ? at + 1 : at
    const to = Math.min(this.length - 1, Math.max(0, start + by))
    return to === start || to < 0 ? null : (this.#positions[to] ?? null)
  }
}

const conditionOf = (
  course: CourseOfTask,
  spans: SpansOfTask | null,
  { kind, agent, plugin }: EventFilter,
): ((index: number) => boolean) => {
  if (kind === "" && agent === "" && plugin === "") return () => true
  return (index) =>
    (kind === "" || course.kindAt(index).kind === kind) &&
    (agent === "" || spans?.agentAt(index) === agent) &&
    (plugin === "" || spans?.pluginAt(index) === plugin)
}

/** The kinds of a task's events, each with its number of events, in the order of `kinds`. */
export const countsOf = (
  course: CourseOfTask,
  kinds: ReadonlyArray<Kind>,
): ReadonlyArray<readonly [kind: Kind, events: number]> => {
  const counts = new Map<Kind, number>()
  for (let index = 0; index < course.length; index++) {
    const { kind } = course.kindAt(index)
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return kinds.flatMap((kind) => (counts.has(kind) ? [[kind, counts.get(kind) ?? 0] as const] : []))
}
