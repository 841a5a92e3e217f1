/** The audits of many tasks, in one pass over the log. */

import { Chunk, Effect, Schema, Stream } from "effect"
import { EventLog, type LogError, type Query, type TaskPart } from "../../events/log/EventLog.ts"
import { MAX_PARTS } from "../../events/log/TaskPart.ts"
import * as Pages from "../../events/read/Pages.ts"
import { has } from "../../events/read/PartHash.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { CoreName } from "../../events/vocabulary/Vocabulary.ts"
import { defined } from "../../values/defined.ts"
import * as Decoding from "../../values/Options.ts"
import type { TaskAudit, TaskNotFound } from "./AuditDocument.ts"
import * as AuditPass from "./AuditPass.ts"
import { TYPES, VerdictCollector } from "./VerdictCollector.ts"
import * as Verdicts from "./Verdicts.ts"

export { fold } from "./AuditPass.ts"

/** Options of `stream`. */
export interface Options {
  /** Only these tasks. Default: all. */
  readonly tasks?: ReadonlyArray<string>
  /** Only tasks of this part. With the audits of all parts, in the order of their keys, `keyed` gives what `stream` does. */
  readonly part?: TaskPart
  /** Ignores events after this position. Default: the head of the log when reading begins. */
  readonly until?: number
  /** Called after each page with the positions read so far and the total. */
  readonly onProgress?: (done: number, of: number) => Effect.Effect<void>
}

/** Schema of the options. */
export const Options = Decoding.of<Options>({
  optional: {
    tasks: Schema.Array(Schema.String),
    part: Schema.Struct({ index: Schema.NonNegativeInt, of: Schema.Int.pipe(Schema.between(1, MAX_PARTS)) }).pipe(
      Schema.filter(({ index, of }) => index < of, { description: "a part, with an index below the number of parts" }),
    ),
    until: Decoding.wholeNumber(0),
    onProgress: Decoding.callable<NonNullable<Options["onProgress"]>>(),
  },
})

/**
 * Streams the audits of all tasks of a log, or of some; each equals the result of `TaskAudit.load`. Completed tasks
 * come first, by their closes; then those of which the log may tell more, by their openings: open ones, those with a
 * command whose outcome may still come, and those that hooks or a connection to an editor recorded.
 *
 * Reads the scoring events first, because a task can be scored long after it closed, then the log, or a few tasks by
 * themselves with the scorings about them. Memory holds the tasks of which the log may tell more, the ids of the others, and a few numbers for
 * each reward and punishment, but no events. Events appended meanwhile are not included.
 *
 * @example
 * ```ts
 * Stream.runForEach(Audits.stream(), (audit) => Console.log(audit.taskId, audit.outcome))
 * ```
 */
export const stream = (
  input: Options = {},
): Stream.Stream<TaskAudit, Decoding.InvalidOptions | TaskNotFound | LogError, EventLog> =>
  Stream.mapChunks(
    keyed(input),
    Chunk.map(({ audit }) => audit),
  )

/** An audit, and its place among all of a log: compared by the first number, then by the second. */
export interface KeyedAudit {
  /** `[0, position]` of the event that completed it, or `[1, position]` of the opening of a task that may still change. */
  readonly key: readonly [number, number]
  readonly audit: TaskAudit
}

/** Like `stream`, with the places of the audits, by which those of several parts are merged. */
export const keyed = (
  input: Options = {},
): Stream.Stream<KeyedAudit, Decoding.InvalidOptions | TaskNotFound | LogError, EventLog> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const options = yield* Decoding.decode("audits", Options, input)
      const log = yield* EventLog
      const until = options.until ?? (yield* log.head).position
      const { onProgress, part } = options
      const tasks = part === undefined ? options.tasks : options.tasks?.filter((taskId) => has(part, taskId))
      if (tasks !== undefined && tasks.length <= FEW_TASKS) {
        return Stream.fromIterable(yield* ofFew(log, tasks, until))
      }
      const range = { until, timeline: log.timeline, ...defined({ part }) }
      const pass = AuditPass.begin(yield* verdictsIn(log, range, AuditPass.wanted(tasks)), tasks)
      const reportProgress = (page: Chunk.Chunk<Event>) => onProgress?.(lastOf(page), until) ?? Effect.void
      const pages = Pages.stream(log.readPage, range)
      const closed = (
        onProgress === undefined
          ? pages
          : Stream.mapChunksEffect(pages, (page) => Effect.as(reportProgress(page), page))
      ).pipe(
        Stream.mapChunks((page) =>
          Chunk.unsafeFromArray(Chunk.toReadonlyArray(page).flatMap((event) => completedBy(pass, event))),
        ),
      )
      const rest = Effect.suspend(() => pass.missing() ?? Effect.succeed(pass.rest().map(unfinished)))
      return Stream.concat(closed, Stream.unwrap(Effect.map(rest, Stream.fromIterable)))
    }),
  )

const completedBy = (pass: AuditPass.AuditPass, event: Event): ReadonlyArray<KeyedAudit> =>
  pass.fold([event]).map((audit) => ({ key: [0, event.position], audit }))

const unfinished = (audit: TaskAudit): KeyedAudit => ({ key: [1, audit.range.from], audit })

/** The verdicts on tasks. Scorings of several tasks belong to none, so each part reads them, and the verdicts of its own. */
const verdictsIn = (
  log: EventLog.Service,
  { part, ...range }: Pick<Query, "until" | "timeline" | "part">,
  isWanted: (taskId: string) => boolean,
) =>
  Effect.gen(function* () {
    const verdicts = new VerdictCollector(isWanted)
    if (part === undefined) {
      yield* Pages.forEach(log.readPage, { ...range, types: TYPES }, (page) => {
        for (const event of page) verdicts.fold(event)
      })
      return verdicts
    }
    const about: Array<Event> = []
    yield* Pages.forEach(log.readPage, { ...range, taskId: null, types: SCORINGS }, (page) => {
      about.push(...page)
    })
    let next = 0
    const foldUpTo = (position: number) => {
      for (let event = about[next]; event !== undefined && event.position < position; event = about[++next])
        verdicts.fold(event)
    }
    yield* Pages.forEach(log.readPage, { ...range, part, types: TYPES }, (page) => {
      for (const event of page) {
        if (event.taskId === null) continue
        foldUpTo(event.position)
        verdicts.fold(event)
      }
    })
    foldUpTo(Number.POSITIVE_INFINITY)
    return verdicts
  })

/** Up to this number, tasks are read one by one through their index instead of with the whole log. */
const FEW_TASKS = 64

/** The audits of a few tasks, in the order of `stream`. */
const ofFew = (log: EventLog.Service, tasks: ReadonlyArray<string>, until: number) =>
  Effect.gen(function* () {
    const pass = AuditPass.begin(yield* verdictsOnFew(log, tasks, until), tasks)
    const completed: Array<KeyedAudit> = []
    for (const taskId of new Set(tasks)) {
      yield* Pages.forEach(log.readPage, { until, timeline: log.timeline, taskId }, (page) => {
        for (const event of page) completed.push(...completedBy(pass, event))
      })
    }
    const missing = pass.missing()
    if (missing !== undefined) return yield* missing
    const all = [...completed, ...pass.rest().map(unfinished)]
    return all.sort(({ key: [one, at] }, { key: [other, after] }) => one - other || at - after)
  })

const verdictsOnFew = (log: EventLog.Service, tasks: ReadonlyArray<string>, until: number) =>
  Effect.gen(function* () {
    const verdicts = new VerdictCollector(AuditPass.wanted(tasks))
    const about = [...(yield* Verdicts.scoringsAbout(log, tasks, until))]
    for (const taskId of new Set(tasks)) {
      yield* Pages.forEach(log.readPage, { until, timeline: log.timeline, taskId, types: VERDICTS }, (page) => {
        about.push(...page)
      })
    }
    for (const event of about.sort((one, other) => one.position - other.position)) verdicts.fold(event)
    return verdicts
  })

const SCORINGS: ReadonlyArray<CoreName> = ["ScoringStarted", "ScoringFinished"]
const VERDICTS = TYPES.filter((type) => !SCORINGS.includes(type))

/** Calls `take` with each audit in turn. */
export const forEach = (
  take: (audit: TaskAudit) => void,
  options: Options = {},
): Effect.Effect<void, Decoding.InvalidOptions | TaskNotFound | LogError, EventLog> =>
  Stream.runForEachChunk(stream(options), (audits) => Effect.sync(() => Chunk.forEach(audits, take)))

const lastOf = (page: Chunk.Chunk<Event>): number => (Chunk.isNonEmpty(page) ? Chunk.lastNonEmpty(page).position : 0)
