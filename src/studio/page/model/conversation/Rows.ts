/** The rows of a conversation: one for each event that begins an item, known before the events are loaded. */

import { begins } from "../../../../projections/conversation/Role.ts"
import { type CourseOfTask, lastNotAbove } from "../Course.ts"

export interface Row {
  readonly position: number
  /** Its event's index in the task. */
  readonly index: number
  /** `conversation/Role`. */
  readonly role: string
}

/** A request to a model, or a command. */
export interface Span {
  readonly row: number
  /** The number of the request, from 1; null for a call. */
  readonly turn: number | null
  readonly position: number
  /** How long it took by the task's own time, in ms, if the next answer or outcome is its own; null if none came. */
  ms: number | null
}

interface Opened {
  readonly span: Span
  readonly index: number
}

export class Rows {
  readonly all: Array<Row> = []
  /** Requests and calls, in order. */
  readonly spans: Array<Span> = []
  /** The first row after the close, of an account that an import added later; null if there is none. */
  late: number | null = null
  /** The longest of the spans, in ms. */
  longestMs = 0
  /** How often the order has changed. */
  arranged = 0
  /** The positions of the rows, sorted, and where each is in `all`. */
  readonly #positions: Array<number> = []
  #places: Array<number> = []
  readonly #course: CourseOfTask
  /** Requests and commands without an end so far, oldest first, with the indexes of their events. */
  readonly #open = { q: [] as Array<Opened>, c: [] as Array<Opened> }
  #taken = 0
  #turns = 0
  #isClosed = false

  constructor(course: CourseOfTask) {
    this.#course = course
    this.take()
  }

  get length(): number {
    return this.all.length
  }

  /** Takes the events that have come since. */
  take(): void {
    for (; this.#taken < this.#course.length; this.#taken++) {
      const role = this.#course.roleAt(this.#taken)
      if (role === "a" || role === "f") this.#end("q")
      if (role === "e") this.#end("c")
      if (!begins(role)) continue
      const position = this.#course.positions[this.#taken] ?? 0
      const row = this.all.push({ position, index: this.#taken, role }) - 1
      this.#positions.push(position)
      this.#places.push(row)
      if (role === "q" || role === "c") {
        const span: Span = { row, turn: role === "q" ? ++this.#turns : null, position, ms: null }
        this.spans.push(span)
        this.#open[role].push({ span, index: this.#taken })
      }
      if (this.#isClosed && role !== "x" && role !== "n") this.late ??= row
      if (role === "x") this.#isClosed = true
    }
  }

  /** The row of the last event at or before a position that begins one; -1 if there is none. */
  at(position: number): number {
    const found = lastNotAbove(this.#positions, position)
    return found < 0 ? -1 : (this.#places[found] ?? -1)
  }

  /** Puts the rows of these positions in their order. Rows that are not named stay behind the ones before them. */
  arrange(order: ReadonlyArray<number>): void {
    const places = new Map<number, number>()
    for (const position of order) places.set(position, places.get(position) ?? places.size)
    let last = -1
    const ordered = this.#positions
      .map((position) => {
        last = places.get(position) ?? last
        return { position, place: last }
      })
      .sort((a, b) => a.place - b.place || a.position - b.position)
    if (ordered.every(({ position }, row) => this.all[row]?.position === position)) return
    const byPosition = new Map(this.all.map((row) => [row.position, row]))
    const rowOf = new Map(ordered.map(({ position }, row) => [position, row]))
    for (const [row, { position }] of ordered.entries()) {
      const known = byPosition.get(position)
      if (known !== undefined) this.all[row] = known
    }
    this.#places = this.#positions.map((position) => rowOf.get(position) ?? -1)
    this.#span()
    this.arranged += 1
  }

  /** The requests and commands in the order of their rows. */
  #span(): void {
    const known = new Map(this.spans.map((span) => [span.position, span]))
    this.spans.length = 0
    this.#turns = 0
    for (const [row, { role, position }] of this.all.entries()) {
      const span = known.get(position)
      if (span !== undefined) this.spans.push({ ...span, row, turn: role === "q" ? ++this.#turns : null })
    }
  }

  #end(role: "q" | "c"): void {
    const opened = this.#open[role].shift()
    if (opened === undefined) return
    const { times } = this.#course
    opened.span.ms = Math.max(0, (times[this.#taken] ?? 0) - (times[opened.index] ?? 0))
    this.longestMs = Math.max(this.longestMs, opened.span.ms)
  }
}
