/** The rows of all events of a timeline, filtered and folded by the server, and loaded around what is looked at. */
import { type Signal, signal } from "@preact/signals"
import { MOST_TURNED, ROWS, type TimelineRows as Wire } from "../../../wire/Rows.ts"
import type { Span } from "../../../wire/Spans.ts"
import type { Source } from "../../source/Source.ts"
import { lastNotAbove } from "../Course.ts"
import type { EventRow, Listed } from "./EventRows.ts"

/** Which rows the server lists. */
export interface RowsQuestion {
  readonly kind: string
  readonly agent: string
  readonly plugin: string
  readonly folded: boolean
  readonly turned: ReadonlySet<number>
}

/** Answers kept around the position. */
const KEPT = 20

export class TimelineRows implements Listed {
  /** Increases with each change. */
  readonly version: Signal<number> = signal(0)
  #question: RowsQuestion | null = null
  /** The question that the pages answer. */
  #shown: RowsQuestion | null = null
  /** The newest answer; before the first one to a new question, that to the question before. */
  #newest: Wire | null = null
  readonly #pages = new Map<number, Wire>()
  /** Increases with each question, and when the answers have aged. */
  #generation = 0
  readonly #asked = new Map<string, Promise<void>>()
  #hasProblem = false
  #isWhole = false

  readonly source: Source
  readonly timeline: string
  /** Called with the reason for which rows are missing, and with null when rows come again. */
  readonly onProblem: (cause: unknown) => void

  constructor(source: Source, timeline: string, onProblem: (cause: unknown) => void) {
    this.source = source
    this.timeline = timeline
    this.onProblem = onProblem
  }

  /** Asks for other rows from now on. The rows so far stay until the first of them arrive. */
  ask(question: RowsQuestion, position: number): void {
    this.#question = question
    this.#generation += 1
    this.#hasProblem = false
    void this.load({ at: position })
  }

  /** Asks again for what is looked at, because the timeline has grown. */
  refresh(position: number): Promise<void> {
    this.#generation += 1
    return this.load({ at: position })
  }

  /** The newest answer to any part of the question; null before the first. */
  get newest(): Wire | null {
    this.version.value
    return this.#newest
  }

  get length(): number {
    return this.newest?.length ?? 0
  }

  get hidden(): number {
    return this.newest?.hidden ?? 0
  }

  /** Whether the server has read the timeline up to its end once. */
  get isWhole(): boolean {
    this.version.value
    return this.#isWhole
  }

  /** Whether the server still reads the timeline, so that later answers have more rows. */
  get isReading(): boolean {
    return this.newest !== null && !this.#isWhole
  }

  rowAt(row: number): EventRow | undefined {
    this.version.value
    const found = this.#pages.get(Math.floor(row / ROWS))?.rows[row % ROWS]
    return found === undefined ? undefined : { ...found, call: found.call ?? undefined }
  }

  find(position: number): { readonly row: number; readonly isNear: boolean } | null {
    this.version.value
    for (const { first, rows, length } of this.#pages.values()) {
      const positions = rows.map((row) => row.position)
      const own = lastNotAbove(positions, position)
      if (positions[own] === position) return { row: first + own, isNear: false }
      const ofCall = rows.findIndex(({ call, isPart }) => !isPart && call?.events.includes(position))
      if (ofCall >= 0) return { row: first + ofCall, isNear: false }
      const isLast = first + rows.length >= length || (this.rowAt(first + rows.length)?.position ?? 0) > position
      if (own >= 0 ? own < rows.length - 1 || isLast : first === 0) return { row: first + own, isNear: true }
    }
    return null
  }

  next(position: number, by: number): number | null | undefined {
    const found = this.find(position)
    if (found === null) return undefined
    const { row, isNear } = found
    const to = Math.min(this.length - 1, Math.max(0, row + by + (isNear && by < 0 ? 1 : 0)))
    const next = this.rowAt(to)
    if (next === undefined) return this.length === 0 ? null : undefined
    return (by < 0 ? next.position < position : next.position > position) ? next.position : null
  }

  /** The call that an event of a loaded row is part of. */
  callAt(position: number): Span | undefined {
    for (const { rows } of this.#pages.values()) {
      const found = rows.find(({ call }) => call?.events.includes(position))
      if (found?.call != null) return found.call
    }
    return undefined
  }

  /** Loads what `next` needs, and returns it. */
  async step(position: number, by: number): Promise<number | null> {
    const near = this.next(position, by)
    if (near !== undefined) return near
    await this.load({ at: position })
    // The next page tells whether its last row is the one before the position.
    if (this.find(position) === null) await this.load({ row: this.#after(position) })
    const row = this.find(position)?.row ?? 0
    await this.load({ row: Math.max(0, Math.min(this.length - 1, row + by)) })
    return this.next(position, by) ?? null
  }

  /** The number of the first row after the loaded page that has the last row at or before a position. */
  #after(position: number): number {
    const pages = [...this.#pages.values()].filter(({ rows }) => (rows[0]?.position ?? Infinity) <= position)
    return Math.max(0, ...pages.map(({ first, rows }) => first + rows.length))
  }

  /** Loads the rows around a row or a position, unless they are there, and no older than the question. */
  load(place: { readonly row: number } | { readonly at: number }): Promise<void> {
    const question = this.#question
    if (question === null) return Promise.resolve()
    const generation = this.#generation
    const key = `${generation} ${"row" in place ? `row ${Math.floor(place.row / ROWS)}` : `at ${place.at}`}`
    const known = this.#asked.get(key)
    if (known !== undefined) return known
    const asked = this.#load(question, generation, place).then((isLoaded) => {
      if (!isLoaded) this.#asked.delete(key)
    })
    this.#asked.set(key, asked)
    return asked
  }

  /** Returns false after a failure. */
  async #load(question: RowsQuestion, generation: number, place: { readonly row?: number; readonly at?: number }) {
    const { kind, agent, plugin, folded, turned } = question
    const parameters = {
      ...{ timeline: this.timeline, kind, agent, plugin, folded: String(folded), ...place },
      turned: [...turned].slice(-MOST_TURNED).join(","),
    }
    try {
      this.#take(await this.source.ask("rows", parameters), question, generation)
      return true
    } catch (cause) {
      if (generation === this.#generation && !this.#hasProblem) {
        this.#hasProblem = true
        this.onProblem(cause)
      }
      return false
    }
  }

  #take(answer: Wire, question: RowsQuestion, generation: number): void {
    // An answer to an earlier question.
    if (question !== this.#question) return
    if (this.#shown !== question) this.#pages.clear()
    this.#shown = question
    if (generation === this.#generation || this.#newest === null || answer.until >= this.#newest.until)
      this.#newest = answer
    this.#isWhole ||= answer.isWhole
    if (this.#hasProblem) this.onProblem(null)
    this.#hasProblem = false
    const page = answer.first / ROWS
    this.#pages.set(page, answer)
    const farthest = [...this.#pages.keys()].sort((a, b) => Math.abs(b - page) - Math.abs(a - page))
    for (const far of farthest.slice(0, Math.max(0, this.#pages.size - KEPT))) this.#drop(far)
    if (this.#asked.size > 100 * KEPT) this.#asked.clear()
    this.version.value += 1
  }

  #drop(page: number): void {
    this.#pages.delete(page)
    for (const key of this.#asked.keys())
      if (key.endsWith(` row ${page}`) || key.includes(" at ")) this.#asked.delete(key)
  }
}
