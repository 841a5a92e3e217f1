/**
 * An in-memory index of all events of a log: the timeline, task, time and kind of each, without payloads. The server
 * builds it once, page by page while it is idle, and extends it as the log grows.
 */

import { Deferred, Effect, Fiber, Ref, type Scope, Stream } from "effect"
import { CaughtUp, type LogError, type Span } from "../../events/log/EventLog.ts"
import { Outline, type Outlined, outlined } from "../course/Outline.ts"
import { Bins, type Counted, type Range } from "./Bins.ts"
import { bytes, doubles, integers, Names } from "./Columns.ts"
import * as OutlinePages from "./OutlinePages.ts"

export interface EventIndex {
  readonly indexed: () => number
  /** Why indexing stopped; null while it continues. */
  readonly stopped: () => string | null
  /** Waits until the index has caught up with the log once. Fails if it cannot. */
  readonly complete: Effect.Effect<void, LogError>
  readonly isComplete: () => boolean
  /** The position of a task's last indexed event on any timeline; 0 if there is none. */
  readonly lastOf: (taskId: string) => number
  /** A task's indexed events on a timeline. */
  readonly outline: (spans: ReadonlyArray<Span>, taskId: string) => Outline
  /** The number of events of each kind in each bin of a range of positions, both ends included. */
  readonly density: (spans: ReadonlyArray<Span>, range: Range) => Counted
}

/** Flags of an event. */
const STEP = 1
const RESUMED = 2
const CLOCK_CHANGED = 4

/** The types that matter to a task's own time. */
const TYPE_FLAGS: { readonly [type: string]: number } = { TaskResumed: RESUMED, ClockChanged: CLOCK_CHANGED }

const typeOf = (flags: number): string =>
  Object.keys(TYPE_FLAGS).find((type) => (flags & (TYPE_FLAGS[type] ?? 0)) !== 0) ?? ""

export interface Building {
  /** Awaited before each page. */
  readonly pause: Effect.Effect<void>
  /** Called with the type of each indexed event. */
  readonly onEvent: (type: string) => void
}

/** Starts to build the index in the background, within the scope. */
export const make = (
  reading: OutlinePages.Reading,
  { pause, onEvent }: Building,
): Effect.Effect<EventIndex, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { log } = reading
    const rows = new Rows()
    const caughtUp = yield* Deferred.make<void, LogError>()
    const stopped = yield* Ref.make<string | null>(null)
    let isComplete = false
    const take = (event: Outlined) => {
      rows.take(event)
      onEvent(event.type)
    }
    const building = Effect.gen(function* () {
      const { position: until } = yield* log.head
      yield* OutlinePages.forEach(reading, { until }, (page) =>
        Effect.zipRight(
          Effect.sync(() => page.forEach(take)),
          pause,
        ),
      )
      yield* log.follow({ after: until, whole: true }).pipe(
        Stream.chunks,
        Stream.runForEach((page) =>
          Effect.suspend(() => {
            for (const next of page) {
              if (next instanceof CaughtUp) isComplete = true
              else take(outlined(next, next))
            }
            return isComplete ? Deferred.succeed(caughtUp, undefined) : Effect.void
          }),
        ),
      )
    }).pipe(
      Effect.catchAll((error) => Effect.zipRight(Ref.set(stopped, error.message), Deferred.fail(caughtUp, error))),
    )
    const fiber = yield* Effect.forkScoped(building)
    return {
      indexed: () => rows.last,
      stopped: () => Effect.runSync(Ref.get(stopped)),
      complete: Effect.raceFirst(Deferred.await(caughtUp), Effect.zipRight(Fiber.join(fiber), Effect.never)),
      isComplete: () => isComplete,
      lastOf: (taskId) => rows.lastOf(taskId),
      outline: (spans, taskId) => rows.outline(spans, taskId),
      density: (spans, range) => rows.density(spans, range),
    }
  })

class Rows {
  readonly #codes = bytes()
  readonly #roles = bytes()
  readonly #flags = bytes()
  readonly #times = doubles()
  readonly #recorded = doubles()
  readonly #timelines = integers()
  /** The previous row of the same task, plus 1; 0 for its first. */
  readonly #previous = integers()
  readonly #tasks = new Names()
  readonly #timelineNames = new Names()
  readonly #timelineOf: Array<string> = [""]
  /** The payload of each `ClockChanged`, by row. */
  readonly #changes = new Map<number, unknown>()
  /** The last row of each task by its number, plus 1. */
  readonly #lastOf: Array<number> = []

  get last(): number {
    return this.#codes.length
  }

  take({ code, role, isStep, type, occurredAt, recordedAt, timeline: name, taskId, payload }: Outlined): void {
    const row = this.#codes.length
    this.#codes.push(code.charCodeAt(0))
    this.#roles.push(role.charCodeAt(0))
    this.#flags.push((isStep ? STEP : 0) + (TYPE_FLAGS[type] ?? 0))
    if (type === "ClockChanged") this.#changes.set(row, payload)
    this.#times.push(occurredAt)
    this.#recorded.push(recordedAt)
    const timeline = this.#timelineNames.add(name)
    this.#timelineOf[timeline] = name
    this.#timelines.push(timeline)
    const task = taskId === null ? 0 : this.#tasks.add(taskId)
    this.#previous.push(task === 0 ? 0 : (this.#lastOf[task] ?? 0))
    if (task !== 0) this.#lastOf[task] = row + 1
  }

  lastOf(taskId: string): number {
    return this.#lastOf[this.#tasks.numberOf(taskId)] ?? 0
  }

  outline(spans: ReadonlyArray<Span>, taskId: string): Outline {
    const isIn = this.#member(spans)
    const rows: Array<number> = []
    for (let next = this.#lastOf[this.#tasks.numberOf(taskId)] ?? 0; next > 0; next = this.#previous.at(next - 1)) {
      if (isIn(next - 1)) rows.push(next - 1)
    }
    const outline = new Outline()
    for (const row of rows.reverse()) {
      const flags = this.#flags.at(row)
      outline.take({
        taskId,
        position: row + 1,
        timeline: this.#timelineOf[this.#timelines.at(row)] ?? "",
        occurredAt: this.#times.at(row),
        recordedAt: this.#recorded.at(row),
        type: typeOf(flags),
        payload: this.#changes.get(row),
        code: String.fromCharCode(this.#codes.at(row)),
        role: String.fromCharCode(this.#roles.at(row)),
        isStep: (flags & STEP) !== 0,
      })
    }
    return outline
  }

  density(spans: ReadonlyArray<Span>, range: Range): Counted {
    const isIn = this.#member(spans)
    const bins = new Bins(range)
    for (let position = range.from; position <= Math.min(range.to, this.last); position++) {
      if (isIn(position - 1)) bins.add(position, this.#codes.at(position - 1))
    }
    return bins.density(this.last)
  }

  /** Tests whether a row belongs to the history of these spans. */
  #member(spans: ReadonlyArray<Span>): (row: number) => boolean {
    const ranges = new Map<number, { readonly after: number; readonly until: number }>()
    let after = 0
    for (const { timeline, until } of spans) {
      const number = this.#timelineNames.numberOf(timeline)
      if (number !== 0) ranges.set(number, { after, until })
      after = until
    }
    return (row) => {
      const range = ranges.get(this.#timelines.at(row))
      return range !== undefined && row + 1 > range.after && row + 1 <= range.until
    }
  }
}
