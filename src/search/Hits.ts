/** The hits of one search, read from the log, the newest first. */

import { Effect } from "effect"
import type { EventLog, LogError } from "../events/log/EventLog.ts"
import type { Event } from "../events/vocabulary/Event.ts"
import { yieldToEventLoop } from "../platform/yieldToEventLoop.ts"
import type { EventIndex } from "./EventIndex.ts"
import type { Wanted } from "./IndexFile.ts"
import { textsOf } from "./StepTexts.ts"
import type * as EventText from "./words/EventText.ts"
import * as Matching from "./words/Matching.ts"
import type { WordQuery } from "./words/WordQuery.ts"

/** An event that matches. */
export interface Hit {
  /** Within a compact event, that of the step's event. A compact event has one hit at most. */
  readonly position: number
  readonly timeline: string
  readonly taskId: string | null
  readonly type: string
  readonly kind: EventText.Kind
  readonly occurredAt: number
  /** The text around the words. As recorded: escape it before a person reads it. */
  readonly excerpt: ReadonlyArray<Matching.Piece>
}

/** A hit with its match, for ranking. */
export interface Matched {
  readonly hit: Hit
  readonly match: Matching.Match
}

export interface Range {
  readonly taskId?: string | undefined
  readonly kinds?: ReadonlyArray<EventText.Kind> | undefined
  readonly before?: number | undefined
  readonly after?: number | undefined
  readonly budgetMs?: number | undefined
}

export interface Sources {
  readonly log: EventLog.Service
  readonly index: EventIndex
}

/** Number of positions that the index gives at once. */
const BATCH = 128

/** Number of events read at once without an index. */
const PAGE = 500

/** The positions that a search looks at. */
export interface Covered {
  /** The last one. */
  readonly position: number
  /** The last one in the index; the search reads later events themselves. */
  readonly indexed: number
}

/** The state of one source of a search. */
interface Source {
  waiting: ReadonlyArray<Event>
  /** The search has looked at all positions from here on. */
  before: number
  isEmpty: boolean
}

export class Hits {
  readonly #log: EventLog.Service
  readonly #index: EventIndex
  readonly #wanted: Wanted
  readonly #range: Range
  readonly #after: number
  readonly #indexEnd: number
  /** Events that the index names. They match unless the file is wrong. */
  readonly #indexed: Source
  /** Events that have to be read: those with personal fields, or all. */
  readonly #unindexed: Source
  readonly #startedAt = performance.now()

  constructor({ log, index }: Sources, query: WordQuery, range: Range, { position, indexed }: Covered) {
    this.#log = log
    this.#index = index
    this.#wanted = { query, taskId: range.taskId, kinds: range.kinds }
    this.#range = range
    this.#after = range.after ?? 0
    this.#indexEnd = indexed
    const before = Math.min(range.before ?? Number.MAX_SAFE_INTEGER, position + 1)
    this.#indexed = { waiting: [], before: Math.min(before, indexed + 1), isEmpty: index.problem() !== null }
    this.#unindexed = { waiting: [], before, isEmpty: false }
  }

  /** The newest hits, and the position before which there may be more. */
  newest(limit: number) {
    return Effect.map(this.matched(limit), ({ matched, next }) => ({ hits: matched.map(({ hit }) => hit), next }))
  }

  matched(limit: number) {
    return Effect.gen(this, function* () {
      const matched: Array<Matched> = []
      for (;;) {
        const event = yield* this.#next
        if (event === undefined) return { matched, next: undefined }
        if (event === OUT_OF_TIME) return { matched, next: this.#unindexed.before }
        const found = this.#match(event)
        if (found === undefined) continue
        if (matched.length === limit) return { matched, next: event.position + 1 }
        matched.push(found)
      }
    })
  }

  /** The next event that may match. */
  get #next() {
    return Effect.gen(this, function* () {
      yield* this.#fillIndexed
      const isInTime = yield* this.#fillUnindexed
      const [indexed, unindexed] = [this.#indexed.waiting[0], this.#unindexed.waiting[0]]
      // Events that the search has not looked at come before the index's next one.
      if (!isInTime && (indexed === undefined || indexed.position < this.#unindexed.before)) return OUT_OF_TIME
      const source = (indexed?.position ?? 0) >= (unindexed?.position ?? 0) ? this.#indexed : this.#unindexed
      const [event] = source.waiting
      source.waiting = source.waiting.slice(1)
      return event
    })
  }

  get #fillIndexed() {
    return Effect.gen(this, function* () {
      const source = this.#indexed
      while (source.waiting.length === 0 && !source.isEmpty) {
        const found = yield* this.#index.positions(this.#wanted, source.before, BATCH)
        const positions = found.filter((position) => position > this.#after)
        source.isEmpty = positions.length < BATCH
        source.before = positions.at(-1) ?? source.before
        source.waiting = yield* this.#read(positions)
      }
    })
  }

  /** False if the time ran out before it found an event. */
  get #fillUnindexed(): Effect.Effect<boolean, LogError> {
    return Effect.gen(this, function* () {
      const source = this.#unindexed
      const { budgetMs = Number.POSITIVE_INFINITY } = this.#range
      while (source.waiting.length === 0 && !source.isEmpty) {
        if (performance.now() - this.#startedAt > budgetMs) return false
        yield* source.before - 1 > this.#lastIndexed ? this.#takeAll : this.#takePersonal
        yield* yieldToEventLoop
      }
      return true
    })
  }

  /** The last position in the index; 0 if it has failed. */
  get #lastIndexed() {
    return this.#index.problem() === null ? this.#indexEnd : 0
  }

  get #takePersonal() {
    return Effect.gen(this, function* () {
      const source = this.#unindexed
      const found = yield* this.#index.personal(source.before, PAGE)
      const positions = found.filter((position) => position > this.#after)
      source.isEmpty = positions.length < PAGE
      source.before = positions.at(-1) ?? source.before
      source.waiting = (yield* this.#read(positions)).filter((event) => this.#match(event) !== undefined)
    })
  }

  get #takeAll() {
    return Effect.gen(this, function* () {
      const source = this.#unindexed
      const last = Math.min(source.before - 1, (yield* this.#log.head).position)
      const first = Math.max(this.#after, this.#lastIndexed, last - PAGE)
      const query = {
        after: first,
        until: last,
        whole: true,
        ...(this.#range.taskId === undefined ? {} : { taskId: this.#range.taskId }),
      }
      const page = last <= first ? [] : yield* this.#log.readPage(query, PAGE)
      source.before = first + 1
      source.isEmpty = first <= this.#after
      source.waiting = [...page].reverse().filter((event) => this.#match(event) !== undefined)
    })
  }

  #read(positions: ReadonlyArray<number>): Effect.Effect<ReadonlyArray<Event>, LogError> {
    const read = (position: number) => this.#log.readPage({ after: position - 1, until: position, whole: true }, 1)
    return Effect.map(
      Effect.forEach(runs(positions), (run) => (run.length === 1 ? read(run[0]) : this.#readRun(run))),
      (pages) => pages.flat(),
    )
  }

  /** Consecutive positions, the highest first. */
  #readRun(run: ReadonlyArray<number>) {
    const [last = 0, first = last] = [run[0], run.at(-1)]
    return Effect.map(this.#log.readPage({ after: first - 1, until: last, whole: true }, run.length), (page) =>
      [...page].reverse(),
    )
  }

  /** Of a compact event, its newest step that matches. */
  #match(event: Event): Matched | undefined {
    if (this.#range.taskId !== undefined && this.#range.taskId !== event.taskId) return undefined
    const { kinds = [] } = this.#range
    for (const { event: told, text: found } of textsOf(event)) {
      if (kinds.length > 0 && !kinds.includes(found.kind)) continue
      const match = Matching.match(this.#wanted.query, found.text)
      if (match === undefined) continue
      const { position, timeline, taskId, type, occurredAt } = told
      const excerpt = Matching.excerpt(found.text, match)
      return { hit: { position, timeline, taskId, type, kind: found.kind, occurredAt, excerpt }, match }
    }
    return undefined
  }
}

const OUT_OF_TIME = "out of time"

/** Divides falling positions into runs of consecutive ones. */
const runs = (positions: ReadonlyArray<number>): ReadonlyArray<readonly [number, ...Array<number>]> => {
  const found: Array<[number, ...Array<number>]> = []
  for (const position of positions) {
    const run = found.at(-1)
    if (run !== undefined && run.at(-1) === position + 1) run.push(position)
    else found.push([position])
  }
  return found
}
