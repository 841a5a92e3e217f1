/** A chunk with the state at each of its entries, and the writer of each value. */
import { type Json, pointerKeys, valueAt } from "../../../values/Json.ts"
import type { CourseSlice, Entry, WorldView } from "../../wire/CourseSlice.ts"
import { applied } from "./patch.ts"

type Aside = CourseSlice["aside"][number]

export type State = Json

export class LoadedSlice {
  readonly #chunk: CourseSlice
  readonly #entries: Array<Entry>
  /** The state before the first entry, after the first, after the second …, computed on demand. */
  readonly #states: Array<State>
  /** Changes by events outside the entries, in order. The first `#applied` of them are in `#states`. */
  readonly #aside: Array<Aside>
  #applied = 0
  /** Ordered indexes of the entries that changed a pointer itself, and of those that changed something below it. */
  #changes: Map<string, Array<number>> | undefined
  readonly #within = new Map<string, Array<number>>()

  constructor(chunk: CourseSlice) {
    this.#chunk = chunk
    this.#entries = [...chunk.entries]
    this.#aside = [...chunk.aside]
    this.#states = [{ shared: chunk.state.shared, tasks: { ...chunk.state.tasks } }]
  }

  get number(): number {
    return this.#chunk.number
  }

  get offset(): number {
    return this.#chunk.offset
  }

  get full(): boolean {
    return this.#chunk.full
  }

  get entries(): ReadonlyArray<Entry> {
    return this.#entries
  }

  get views(): ReadonlyArray<WorldView> {
    return this.#chunk.views
  }

  /** Appends a live change by an event outside the course. */
  appendAside(aside: Aside): void {
    if (aside.position > (this.#aside.at(-1)?.position ?? 0)) this.#aside.push(aside)
  }

  append(entry: Entry): void {
    const index = this.#entries.push(entry) - 1
    if (this.#changes !== undefined) this.#note(this.#changes, entry, index)
  }

  /** The state after the entry with this index; for -1, the state before the first. */
  stateAfter(index: number): State {
    for (let next = this.#states.length; next <= index + 1; next++) {
      const entry = this.#entries[next - 1]
      const before = this.#withAside(this.#states[next - 1] ?? null, entry?.position ?? 0)
      this.#states.push((entry?.changes ?? []).reduce(applied, before))
    }
    return this.#states[index + 1] ?? null
  }

  #withAside(state: State, until: number): State {
    let after = state
    for (; (this.#aside[this.#applied]?.position ?? until) < until; this.#applied++)
      after = (this.#aside[this.#applied]?.changes ?? []).reduce(applied, after)
    return after
  }

  /**
   * The position of the event that wrote the value at a pointer, as of an entry: it wrote the value, a parent or a part
   * of it. Undefined if an unknown event before the chunk wrote it.
   */
  writerOf(pointer: string, index: number): number | undefined {
    this.#changes ??= this.#index()
    let last = -1
    for (let above: string = pointer; ; above = parentOf(above)) {
      last = Math.max(last, latest(this.#changes.get(above), index))
      if (above === "") break
    }
    last = Math.max(last, latest(this.#within.get(pointer), index))
    const found = this.#entries[last]?.position
    return found ?? this.#writtenBefore(pointer)
  }

  #writtenBefore(pointer: string): number | undefined {
    for (let above: string = pointer; above !== ""; above = parentOf(above)) {
      const { written } = this.#chunk
      if (Object.hasOwn(written, above)) return written[above]
    }
    return undefined
  }

  #index(): Map<string, Array<number>> {
    const changes = new Map<string, Array<number>>()
    for (const [index, entry] of this.#entries.entries()) this.#note(changes, entry, index)
    return changes
  }

  #note(changes: Map<string, Array<number>>, entry: Entry, index: number): void {
    for (const { path } of entry.changes) {
      noted(changes, path, index)
      for (let above = parentOf(path); above !== ""; above = parentOf(above)) noted(this.#within, above, index)
    }
  }

  /** The plugin's view that holds at a position. */
  viewOf(plugin: string, position: number): WorldView | undefined {
    return this.#chunk.views.filter((view) => view.plugin === plugin && view.from <= position).at(-1)
  }

  /** The value at a pointer, before and after an entry. */
  valuesAround(pointer: string, index: number): readonly [before: Json | undefined, after: Json | undefined] {
    const keys = pointerKeys(pointer)
    return [valueAt(this.stateAfter(index - 1), keys), valueAt(this.stateAfter(index), keys)]
  }
}

const noted = (indexes: Map<string, Array<number>>, pointer: string, index: number): void => {
  const known = indexes.get(pointer)
  if (known === undefined) indexes.set(pointer, [index])
  else known.push(index)
}

const parentOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf("/"))

/** The greatest of these ordered numbers that is at most `most`, or -1. */
const latest = (numbers: ReadonlyArray<number> | undefined, most: number): number => {
  for (let at = (numbers?.length ?? 0) - 1; at >= 0; at--) {
    const number = numbers?.[at] ?? -1
    if (number <= most) return number
  }
  return -1
}
