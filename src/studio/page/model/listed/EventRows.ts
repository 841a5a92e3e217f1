/** The rows of the list of events: a call is one row, which can be opened, and a filter leaves out unwanted events. */
import type { Brief } from "../../../wire/CourseSlice.ts"
import type { Kind } from "../../../wire/Kind.ts"
import { type EventFilter, isFiltering, rowsOf } from "../../../wire/Rows.ts"
import type { Span } from "../../../wire/Spans.ts"
import type { CourseOfTask } from "../Course.ts"
import { lastNotAbove } from "../Course.ts"
import type { SpansOfTask } from "./SpansOfTask.ts"

export interface EventRow {
  readonly position: number
  /** The event in short, if the rows come with it. */
  readonly brief?: Brief
  /** The call that the row represents or belongs to. */
  readonly call: Span | undefined
  /** Whether it is one event of an opened call. */
  readonly isPart: boolean
}

/** A list's rows, in order. */
export interface Listed {
  readonly length: number
  /** How many events the filter leaves out. */
  readonly hidden: number
  /** Undefined while it loads. */
  readonly rowAt: (row: number) => EventRow | undefined
  /**
   * The row of a position: its own, or its call's. If the filter leaves it out, the last row before it, possibly -1, is
   * `near`. Null while it loads.
   */
  readonly find: (position: number) => { readonly row: number; readonly isNear: boolean } | null
  /** The position of the next row in a direction; null at the end, undefined while it loads. */
  readonly next: (position: number, by: number) => number | null | undefined
}

export interface Showing {
  readonly filter: EventFilter
  /** Whether calls are one row each. */
  readonly folded: boolean
  /** The first positions of calls that are the other way round. */
  readonly turned: ReadonlySet<number>
}

export class EventRows implements Listed {
  readonly rows: ReadonlyArray<EventRow>
  readonly hidden: number
  readonly #spans: SpansOfTask | null
  readonly #positions: ReadonlyArray<number>

  /** @param spans null while they load: then every event is a row */
  constructor(course: CourseOfTask, spans: SpansOfTask | null, { filter, folded, turned }: Showing) {
    const callAt = (index: number) => spans?.callAt(course.positions[index] ?? 0)
    const { rows, hidden } = rowsOf({
      length: course.length,
      callAt: (index) => callAt(index)?.from ?? 0,
      isFirst: (index) => callAt(index)?.from === course.positions[index],
      holds: conditionOf(course, spans, filter),
      isOpen: (call) => turned.has(call) === folded,
    })
    this.rows = rows.map((index) => {
      const [position, call] = [course.positions[index] ?? 0, callAt(index)]
      return { position, call, isPart: call !== undefined && call.from !== position }
    })
    this.hidden = hidden
    this.#spans = spans
    this.#positions = this.rows.map((row) => row.position)
  }

  get length(): number {
    return this.rows.length
  }

  rowAt(row: number): EventRow | undefined {
    return this.rows[row]
  }

  find(position: number): { readonly row: number; readonly isNear: boolean } {
    const own = lastNotAbove(this.#positions, position)
    if (this.#positions[own] === position) return { row: own, isNear: false }
    const first = this.#spans?.callAt(position)?.events[0] ?? -1
    const ofCall = lastNotAbove(this.#positions, first)
    if (ofCall >= 0 && this.#positions[ofCall] === first) return { row: ofCall, isNear: false }
    return { row: own, isNear: true }
  }

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
): ((index: number) => boolean) | null => {
  if (!isFiltering({ kind, agent, plugin })) return null
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
