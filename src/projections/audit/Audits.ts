/** The audits of many tasks, in one pass over the log. */

import { Chunk, Effect, Schema, Stream } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
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
  /** Ignores events after this position. Default: the head of the log when reading begins. */
  readonly until?: number
  /** Called after each page with the positions read so far and the total. */
  readonly onProgress?: (done: number, of: number) => Effect.Effect<void>
}

/** Schema of the options. */
export const Options = Decoding.of<Options>({
  optional: {
    tasks: Schema.Array(Schema.String),
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
  Stream.unwrap(
    Effect.gen(function* () {
      const options = yield* Decoding.decode("audits", Options, input)
      const log = yield* EventLog
      const until = options.until ?? (yield* log.head).position
      const { tasks, onProgress } = options
      if (tasks !== undefined && tasks.length <= FEW_TASKS) {
        return Stream.fromIterable(yield* ofFew(log, tasks, until))
      }
      const verdicts = new VerdictCollector(AuditPass.wanted(tasks))
      yield* Pages.forEach(log.readPage, { until, timeline: log.timeline, types: TYPES }, (page) => {
        for (const event of page) verdicts.fold(event)
      })
      const pass = AuditPass.begin(verdicts, tasks)
      const reportProgress = (page: Chunk.Chunk<Event>) => onProgress?.(lastOf(page), until) ?? Effect.void
      const pages = Pages.stream(log.readPage, { until, timeline: log.timeline })
      const closed = (
        onProgress === undefined
          ? pages
          : Stream.mapChunksEffect(pages, (page) => Effect.as(reportProgress(page), page))
      ).pipe(Stream.mapChunks((page) => Chunk.unsafeFromArray(pass.fold(Chunk.toReadonlyArray(page)))))
      const rest = Effect.suspend(() => pass.missing() ?? Effect.succeed(pass.rest()))
      return Stream.concat(closed, Stream.unwrap(Effect.map(rest, Stream.fromIterable)))
    }),
  )

/** Up to this number, tasks are read one by one through their index instead of with the whole log. */
const FEW_TASKS = 64

/** The audits of a few tasks, in the order of `stream`. */
const ofFew = (log: EventLog.Service, tasks: ReadonlyArray<string>, until: number) =>
  Effect.gen(function* () {
    const pass = AuditPass.begin(yield* verdictsOnFew(log, tasks, until), tasks)
    const completed: Array<{ readonly at: number; readonly audit: TaskAudit }> = []
    for (const taskId of new Set(tasks)) {
      yield* Pages.forEach(log.readPage, { until, timeline: log.timeline, taskId }, (page) => {
        for (const event of page) {
          for (const audit of pass.fold([event])) completed.push({ at: event.position, audit })
        }
      })
    }
    const missing = pass.missing()
    if (missing !== undefined) return yield* missing
    const rest = [...pass.rest()].sort((one, other) => one.range.from - other.range.from)
    return [...completed.sort((one, other) => one.at - other.at).map(({ audit }) => audit), ...rest]
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

const VERDICTS = TYPES.filter((type) => type !== "ScoringStarted" && type !== "ScoringFinished")

/** Calls `take` with each audit in turn. */
export const forEach = (
  take: (audit: TaskAudit) => void,
  options: Options = {},
): Effect.Effect<void, Decoding.InvalidOptions | TaskNotFound | LogError, EventLog> =>
  Stream.runForEachChunk(stream(options), (audits) => Effect.sync(() => Chunk.forEach(audits, take)))

const lastOf = (page: Chunk.Chunk<Event>): number => (Chunk.isNonEmpty(page) ? Chunk.lastNonEmpty(page).position : 0)
