/** The events of one course, loaded in chunks around the visited position, and extended by live events. */
import { type Signal, signal } from "@preact/signals"
import { CHUNK, type CourseSlice, type Entry } from "../../wire/CourseSlice.ts"
import type { Span } from "../../wire/Spans.ts"
import type { Relatives, TaskHead } from "../../wire/Task.ts"
import { type Source, SourceFailed } from "../source/Source.ts"
import type { Course } from "./Address.ts"
import { CourseOfTask } from "./Course.ts"
import { LoadedSlice, type State } from "./LoadedSlice.ts"
import type { SpansOfTask } from "./listed/SpansOfTask.ts"
import type { TimelineRows } from "./listed/TimelineRows.ts"

/** Chunks kept around the position: about 10,000 events. */
const KEPT = 50

export interface CourseMoment {
  readonly position: number
  /** Null before the first event. */
  readonly entry: Entry | null
  readonly before: State
  readonly after: State
  readonly chunk: LoadedSlice
  /** The index of the entry in its chunk; -1 before the first one. */
  readonly index: number
}

export class CourseHistory {
  readonly head: Signal<TaskHead | null> = signal(null)
  /** All events of the task; null for a whole timeline, and until they are loaded. */
  readonly marks: Signal<CourseOfTask | null> = signal(null)
  /** The task's spans; null for a whole timeline, and until they are loaded. */
  readonly spans: Signal<SpansOfTask | null> = signal(null)
  /** The tasks that the task started, and the one that started it; null until they are loaded. */
  readonly relatives: Signal<Relatives | null> = signal(null)
  /** The filtered and folded rows of a whole timeline; null for a task, and until they are loaded. */
  readonly rows: Signal<TimelineRows | null> = signal(null)
  /** The first positions of calls that the list of events shows opened, or folded if it shows the others opened. */
  readonly turned: Signal<ReadonlySet<number>> = signal(new Set())
  /** Increases with each change, so that computed signals recompute. */
  readonly version: Signal<number> = signal(0)
  readonly problem: Signal<SourceFailed | null> = signal(null)
  readonly #chunks = new Map<number, LoadedSlice>()
  readonly #asked = new Map<number, Promise<LoadedSlice | null>>()
  /** Live events that arrived during a request, whose answer may be older. */
  #meanwhile: Array<Entry> = []
  #opening = false

  /** The name of the scoring that the head has the score of; empty for the one that counts. */
  scores = ""

  readonly source: Source
  readonly course: Course
  readonly logHead: Signal<number>

  constructor(source: Source, course: Course, logHead: Signal<number>) {
    this.source = source
    this.course = course
    this.logHead = logHead
  }

  async open(): Promise<void> {
    const { timeline, task } = this.course
    if (task === null) return
    this.#opening = true
    const [head, course] = await Promise.all([
      this.source.ask("task", { timeline, task, scores: this.scores }),
      this.source.ask("course", { timeline, task }),
    ]).finally(() => {
      this.#opening = false
    })
    this.head.value = head
    this.marks.value = new CourseOfTask(course)
    const came = this.#meanwhile
    this.#meanwhile = []
    this.append(came)
    this.version.value += 1
  }

  /** Reloads the task's head, such as its outcome. */
  async refresh(): Promise<void> {
    const { timeline, task } = this.course
    const { scores } = this
    if (task === null) return
    const head = await this.source.ask("task", { timeline, task, scores })
    // A later choice of scores asked again.
    if (scores === this.scores) this.head.value = head
  }

  /** Opens a call in the list of events, or folds it. */
  turn(begins: number): void {
    const turned = new Set(this.turned.value)
    if (!turned.delete(begins)) turned.add(begins)
    this.turned.value = turned
  }

  get first(): number {
    return this.marks.value?.positions[0] ?? 1
  }

  get last(): number {
    return this.course.task === null ? this.logHead.value : (this.marks.value?.positions.at(-1) ?? 0)
  }

  /** The call that an event is part of, as far as it is loaded. */
  callAt(position: number): Span | undefined {
    return this.spans.value?.callAt(position) ?? this.rows.value?.callAt(position)
  }

  /** The frame at a position; null while it loads. */
  frameAt(position: number): CourseMoment | null {
    this.version.value
    const number = this.#numberAt(position)
    const chunk = number === null ? undefined : this.#chunks.get(number)
    return chunk === undefined ? null : momentOf(chunk, position)
  }

  /** The event at a position, without states: null if there is none, undefined while it loads. */
  entryAt(position: number): Entry | null | undefined {
    this.version.value
    const number = this.#numberAt(position)
    const chunk = number === null ? undefined : this.#chunks.get(number)
    if (chunk === undefined) return undefined
    const entry = chunk.entries[indexIn(chunk, position)]
    return entry?.position === position ? entry : null
  }

  /** Loads a position's chunk, then its neighbours, so that a step needs no request. */
  async load(position: number): Promise<CourseMoment | null> {
    const number = this.#numberAt(position)
    if (number === null) return null
    const chunk = await this.#get(number)
    for (const beside of [number + 1, number - 1]) if (this.#exists(beside)) void this.#get(beside)
    this.#forget(number)
    return chunk === null ? null : momentOf(chunk, position)
  }

  /** A chunk that is loaded. */
  loaded(number: number): LoadedSlice | undefined {
    this.version.value
    return this.#chunks.get(number)
  }

  async chunk(number: number): Promise<LoadedSlice | null> {
    return this.#exists(number) ? this.#get(number) : null
  }

  /**
   * The position that is `by` events away, limited to the first or last event. Null if its chunk is not loaded: on a
   * timeline, not every position has an event.
   */
  step(from: number, by: number): number | null {
    const marks = this.marks.value
    if (this.course.task !== null) {
      if (marks === null) return from
      const index = marks.indexAt(from)
      return marks.positions[Math.min(marks.length - 1, Math.max(0, index + by))] ?? from
    }
    const near = this.frameAt(from)
    return near?.chunk.entries[near.index + by]?.position ?? null
  }

  /** Finds the next event in a direction that satisfies a condition. Loads chunk after chunk. */
  async seek(
    from: number,
    by: 1 | -1,
    holds: (frame: CourseMoment) => boolean,
    signal: AbortSignal,
  ): Promise<number | null> {
    let number = this.#numberAt(from)
    let chunk = number === null ? null : await this.#get(number)
    let index = chunk === null ? 0 : momentOf(chunk, from).index + by
    while (number !== null && chunk !== null && !signal.aborted) {
      for (; index >= 0 && index < chunk.entries.length; index += by) {
        const found = momentIn(chunk, index, from)
        if (holds(found)) return found.position
      }
      number += by
      if (!this.#exists(number)) return null
      chunk = await this.#get(number)
      this.#forget(number)
      index = by > 0 || chunk === null ? 0 : chunk.entries.length - 1
    }
    return null
  }

  /** Takes the live events of this course. */
  append(entries: ReadonlyArray<Entry>): void {
    const { task } = this.course
    if (this.#opening || this.#asked.size > 0) this.#meanwhile.push(...entries)
    let isNew = false
    for (const entry of entries) {
      if (this.#has(entry)) {
        const marks = this.marks.value
        if (task !== null && (marks === null || entry.position <= this.last)) continue
        marks?.append(entry)
        isNew = true
      }
      const chunk = this.#chunks.get(this.#chunkOf(entry) ?? -1)
      if (chunk !== undefined) this.#put(entry, chunk)
    }
    if (isNew) this.version.value += 1
  }

  /** Whether an event belongs to no task: it may change the state that all tasks of the timeline share. */
  #isAside({ timeline, task }: Entry): boolean {
    return this.course.task !== null && task === null && timeline === this.course.timeline
  }

  #has({ timeline, task }: Entry): boolean {
    return timeline === this.course.timeline && (this.course.task === null || task === this.course.task)
  }

  #numberAt(position: number): number | null {
    if (this.course.task === null) return Math.floor(Math.max(0, position - 1) / CHUNK)
    const marks = this.marks.value
    return marks === null ? null : Math.floor(Math.max(0, marks.indexAt(position)) / CHUNK)
  }

  /** The number of a live event's chunk; null for other courses. */
  #chunkOf(entry: Entry): number | null {
    if (this.#isAside(entry)) return this.#numberAt(this.last)
    return this.#has(entry) ? this.#numberAt(entry.position) : null
  }

  #put(entry: Entry, chunk: LoadedSlice): void {
    if (this.#isAside(entry)) chunk.appendAside(entry)
    else if (entry.position > (chunk.entries.at(-1)?.position ?? 0)) chunk.append(entry)
  }

  #exists(number: number): boolean {
    const length = this.course.task === null ? this.logHead.value : (this.marks.value?.length ?? 0)
    return number >= 0 && number * CHUNK < length
  }

  #get(number: number): Promise<LoadedSlice | null> {
    const known = this.#chunks.get(number)
    if (known !== undefined) return Promise.resolve(known)
    const asked = this.#asked.get(number)
    if (asked !== undefined) return asked
    const { timeline, task } = this.course
    const answer = this.source
      .ask("chunk", { timeline, task, number })
      .then((chunk) => this.#keep(number, chunk))
      .catch((cause: unknown) => {
        this.problem.value = cause instanceof SourceFailed ? cause : new SourceFailed("Failed", String(cause))
        return null
      })
      .finally(() => {
        this.#asked.delete(number)
        if (this.#asked.size === 0) this.#meanwhile = []
      })
    this.#asked.set(number, answer)
    return answer
  }

  #keep(number: number, chunk: CourseSlice): LoadedSlice {
    const loaded = new LoadedSlice(chunk)
    this.#chunks.set(number, loaded)
    for (const entry of this.#meanwhile) if (this.#chunkOf(entry) === number) this.#put(entry, loaded)
    this.problem.value = null
    this.version.value += 1
    return loaded
  }

  #forget(around: number): void {
    if (this.#chunks.size <= KEPT) return
    const farthest = [...this.#chunks.keys()].sort((a, b) => Math.abs(b - around) - Math.abs(a - around))
    for (const number of farthest.slice(0, this.#chunks.size - KEPT)) this.#chunks.delete(number)
  }
}

const momentOf = (chunk: LoadedSlice, position: number): CourseMoment =>
  momentIn(chunk, indexIn(chunk, position), position)

/** The index of the last entry at or before a position, or -1. */
const indexIn = ({ entries }: LoadedSlice, position: number): number => {
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((entries[middle]?.position ?? 0) <= position) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** @param position the frame's position if there is no such event */
const momentIn = (chunk: LoadedSlice, index: number, position: number): CourseMoment => {
  const entry = chunk.entries[index] ?? null
  return {
    position: entry?.position ?? position,
    entry,
    before: chunk.stateAfter(index - 1),
    after: chunk.stateAfter(index),
    chunk,
    index,
  }
}
