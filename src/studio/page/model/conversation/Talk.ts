/** The conversation of a task: its rows, and the items of those around the visible ones, whose chunks load on demand. */

import { type Signal, signal } from "@preact/signals"
import { byPosition, conversation } from "../../../../projections/conversation/Conversation.ts"
import type { Answer, Call, Item } from "../../../../projections/conversation/Item.ts"
import type { Json } from "../../../../values/Json.ts"
import { CHUNK, type Entry } from "../../../wire/CourseSlice.ts"
import type { CourseOfTask } from "../Course.ts"
import type { CourseHistory } from "../CourseHistory.ts"
import { Rows } from "./Rows.ts"

/** Maximum number of chunks that are folded at once: about 8,000 events. */
const MOST = 40

/** Chunks by which a fold grows towards the end of something that is still open. */
const FURTHER = 4

export interface Visible {
  /** The items of each row whose event is loaded. */
  readonly byRow: ReadonlyMap<number, ReadonlyArray<Item>>
  /** Whether later events are missing: an item that is open here may have ended. */
  readonly isCut: boolean
}

/** A request or a call in a few words. */
export interface Gist {
  /** The tool; empty for a request. */
  readonly name: string
  /** In milliseconds; null if unknown. */
  readonly ms: number | null
  /** Such as `running`; empty once it has ended. */
  readonly state: string
  readonly isBad: boolean
}

export class Talk {
  readonly rows: Rows
  /** Whether its agents had called models, or had a guide for it, when it was opened here. */
  readonly isOfModel: boolean
  /** Increases with each payload that was loaded on its own. */
  readonly completed: Signal<number> = signal(0)
  /** The key of the last fold that was drawn. */
  readonly drawn: Signal<string> = signal("")
  readonly #history: CourseHistory
  readonly #payloads = new Map<number, Json>()
  /** The gists of requests and calls so far, by the positions with which they begin. */
  readonly #seen = new Map<number, Gist>()
  #folded: Folded = NOTHING

  constructor(history: CourseHistory, course: CourseOfTask) {
    this.#history = history
    this.rows = new Rows(course)
    this.isOfModel = this.rows.all.some(({ role }) => role === "q" || role === "g")
  }

  /** The items of a range of rows, as far as their events are loaded. Loads missing ones. */
  items(first: number, last: number): Visible {
    this.#history.version.value
    this.completed.value
    this.rows.take()
    if (this.rows.length === 0) return NOTHING
    const { rows } = this
    // What another account added after the close gets its place only among all events.
    const start = rows.late === null ? Math.max(0, this.#chunkOf(first) - 1) : 0
    const end = Math.min(this.#lastChunk, start + MOST)
    let folded = this.#fold(start, rows.late === null ? Math.min(this.#chunkOf(last) + 1, end) : end)
    while (!folded.lacks && folded.to < end && isOpen(folded, first, last))
      folded = this.#fold(start, Math.min(folded.to + FURTHER, end))
    if (rows.late !== null && !folded.isCut) rows.arrange(folded.order)
    return folded
  }

  /** The item of a position, if it is loaded and near the last range. */
  itemAt(position: number): Item | undefined {
    return this.#folded.byPosition.get(position)
  }

  /** The gist of a request or call that was folded before. */
  gistOf(begins: number): Gist | undefined {
    return this.#seen.get(begins)
  }

  /** Identifies the last fold. */
  get key(): string {
    return this.#folded.key
  }

  /** The row of a position: that of its item, else the last one that began before it; -1 if none did. */
  rowAt(position: number): number {
    return this.rows.at(this.itemAt(position)?.begins ?? position)
  }

  /** The position that says most about a row. */
  positionOf(row: number): number {
    const items = this.#folded.byRow.get(row)
    return items?.at(-1)?.position ?? this.rows.all[row]?.position ?? 0
  }

  /**
   * The position of the item that is `by` items away, at most the first or the last one. Null if there is none in that
   * direction.
   */
  step(from: number, by: number): number | null {
    const start = this.rowAt(from)
    let reached: number | null = null
    let left = Math.abs(by)
    for (let row = start + Math.sign(by); left > 0 && row >= 0 && row < this.rows.length; row += Math.sign(by)) {
      // A row that is not loaded may have items.
      if (this.#folded.byRow.get(row)?.length === 0) continue
      reached = row
      left -= 1
    }
    return reached === null ? null : this.positionOf(reached)
  }

  /** Gives an event its payload, which was too long for its chunk. */
  complete(position: number, payload: Json): void {
    this.#payloads.set(position, payload)
    this.completed.value += 1
  }

  /** The last row of those that can be drawn at once. */
  get lastPrinted(): number {
    let last = this.rows.length - 1
    while (last > 0 && this.#chunkOf(last) > MOST) last -= 1
    return last
  }

  get #lastChunk(): number {
    return Math.max(0, Math.ceil((this.#history.marks.value?.length ?? 0) / CHUNK) - 1)
  }

  #chunkOf(row: number): number {
    return Math.floor((this.rows.all[row]?.index ?? 0) / CHUNK)
  }

  /** Folds the loaded ones of these chunks, and loads the others. */
  #fold(from: number, to: number): Folded {
    const version = `${this.#history.version.value}/${this.completed.value}/${this.rows.arranged}`
    const key = `${from}-${to}/${version}`
    if (this.#folded.key === key) return this.#folded
    const chunks = []
    for (let number = from; number <= to; number++) {
      const chunk = this.#history.loaded(number)
      if (chunk === undefined) void this.#history.chunk(number)
      else chunks.push(chunk)
    }
    const entries = chunks.flatMap((chunk) => chunk.entries.map((entry) => this.#whole(entry)))
    const items = conversation(entries, { isCaptured: this.#history.head.value?.isCaptured ?? false })
    const lacks = chunks.length <= to - from
    this.#folded = { key, to, lacks, isCut: lacks || to < this.#lastChunk, ...this.#placed(entries, items) }
    for (const item of items)
      if (item.kind === "answer" || item.kind === "call") this.#seen.set(item.begins, gistOf(item))
    return this.#folded
  }

  #placed(entries: ReadonlyArray<Entry>, items: ReadonlyArray<Item>): Pick<Folded, "byRow" | "byPosition" | "order"> {
    const byRow = new Map<number, Array<Item>>()
    for (const { position } of entries) {
      const row = this.rows.at(position)
      if (this.rows.all[row]?.position === position) byRow.set(row, [])
    }
    for (const item of items) byRow.get(this.rows.at(item.begins))?.push(item)
    return { byRow, byPosition: byPosition(items), order: items.map(({ begins }) => begins) }
  }

  #whole(entry: Entry): Entry {
    const payload = this.#payloads.get(entry.position)
    return payload === undefined ? entry : { ...entry, payload }
  }
}

const gistOf = (item: Answer | Call): Gist => {
  if (item.kind === "answer") {
    const state = item.request === null ? "" : "running"
    return { name: "", ms: item.latencyMs, state, isBad: item.failed !== null }
  }
  const { tool, end, state } = item
  const isBad = end !== null && end.status !== "succeeded"
  return { name: tool, ms: end?.latencyMs ?? null, state: end === null ? state : "", isBad }
}

interface Folded extends Visible {
  readonly key: string
  /** The last chunk. */
  readonly to: number
  /** Whether one of its chunks is not loaded. */
  readonly lacks: boolean
  readonly byPosition: ReadonlyMap<number, Item>
  /** The positions with which the items begin, in their order. */
  readonly order: ReadonlyArray<number>
}

const NOTHING: Folded = {
  key: "",
  to: -1,
  lacks: false,
  isCut: false,
  byRow: new Map(),
  byPosition: new Map(),
  order: [],
}

/** Whether something in these rows has no end yet. */
const isOpen = ({ byRow }: Folded, first: number, last: number): boolean => {
  for (let row = first; row <= last; row++)
    if (byRow.get(row)?.some((item) => (item.kind === "call" && item.end === null) || isAsked(item))) return true
  return false
}

const isAsked = (item: Item): boolean => item.kind === "answer" && item.request !== null
