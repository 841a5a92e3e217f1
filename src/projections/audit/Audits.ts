/** The audits of many tasks, in one pass over the log. */

import { Chunk, Effect, Either, Schema, Stream } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import * as Decoding from "../../values/Options.ts"
import * as Projection from "../fold/Projection.ts"
import * as Sections from "./Sections.ts"
import * as TaskAudit from "./TaskAudit.ts"
import * as VerdictCollector from "./VerdictCollector.ts"

/** Which audits to compute. */
export interface Options {
  /** Only these tasks. Default: all. */
  readonly tasks?: ReadonlyArray<string>
  /** Ignore events after this position. Default: the head of the log when reading begins. */
  readonly until?: number
  /** Called after each page with the positions read so far and the total. */
  readonly onProgress?: (done: number, of: number) => Effect.Effect<void>
}

/** The schema of the options. */
export const Options = Decoding.of<Options>({
  optional: {
    tasks: Schema.Array(Schema.String),
    until: Decoding.wholeNumber(0),
    onProgress: Decoding.callable<NonNullable<Options["onProgress"]>>(),
  },
})

/**
 * The audits of all tasks of a log, or of some; each equals the result of `TaskAudit.load`. Completed tasks come first,
 * in the order of their closes; then, in the order of their openings, tasks that are open or have a command whose
 * outcome may still come.
 *
 * The log is read once, and the scoring events once before that, because a task can be scored long after it closed.
 * Memory holds the tasks that are open at a time, the ids of the others, and the collected verdicts: a few numbers for
 * each reward and punishment, no events. Events appended while it runs are not included.
 *
 * @example Stream.runForEach(Audits.stream(), (audit) => Console.log(audit.taskId, audit.outcome))
 */
export const stream = (
  input: Options = {},
): Stream.Stream<TaskAudit.TaskAudit, Decoding.InvalidOptions | TaskAudit.TaskNotFound | LogError, EventLog> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const options = yield* Decoding.decode("audits", Options, input)
      const log = yield* EventLog
      const until = options.until ?? (yield* log.head).position
      const pass = yield* startPass(options.tasks, until)
      const { onProgress } = options
      const reportProgress = (page: Chunk.Chunk<Event>) => onProgress?.(lastOf(page), until) ?? Effect.void
      const pages = Pages.stream(log.readPage, { until, timeline: log.timeline })
      const closed = (
        onProgress === undefined
          ? pages
          : Stream.mapChunksEffect(pages, (page) => Effect.as(reportProgress(page), page))
      ).pipe(Stream.mapChunks((page) => Chunk.unsafeFromArray(pass.fold(Chunk.toReadonlyArray(page)))))
      return Stream.concat(closed, Stream.unwrap(Effect.map(pass.end, Stream.fromIterable)))
    }),
  )

/** Calls `take` with each audit in turn. */
export const forEach = (
  take: (audit: TaskAudit.TaskAudit) => void,
  options: Options = {},
): Effect.Effect<void, Decoding.InvalidOptions | TaskAudit.TaskNotFound | LogError, EventLog> =>
  Stream.runForEachChunk(stream(options), (audits) => Effect.sync(() => Chunk.forEach(audits, take)))

/** A pass over a log. */
interface AuditPass {
  /** Folds events, and returns the audits of the tasks that they complete. */
  readonly fold: (events: ReadonlyArray<Event>) => ReadonlyArray<TaskAudit.TaskAudit>
  /** The audits of the remaining tasks. */
  readonly end: Effect.Effect<ReadonlyArray<TaskAudit.TaskAudit>, TaskAudit.TaskNotFound>
}

const startPass = (
  tasks: ReadonlyArray<string> | undefined,
  until: number,
): Effect.Effect<AuditPass, LogError, EventLog> =>
  Effect.gen(function* () {
    const requested = tasks === undefined ? undefined : new Set(tasks)
    const isWanted = (taskId: string) => requested === undefined || requested.has(taskId)
    const collected = yield* VerdictCollector.collect(until, isWanted)
    const open = new Map<string, Sections.State>()
    const done = new Set<string>()

    const complete = (taskId: string, sections: Sections.State) => {
      open.delete(taskId)
      done.add(taskId)
      return TaskAudit.document(taskId, { sections, verdicts: collected.take(taskId) })
    }

    const foldEvent = (event: Event) => {
      const { taskId } = event
      if (taskId === null || !isWanted(taskId) || done.has(taskId)) return undefined
      const before = open.get(taskId) ?? Sections.projection.initial
      const after = Projection.step(Sections.projection, before, event)
      if (after === before) return undefined
      if (Sections.complete(after)) return complete(taskId, after)
      open.set(taskId, after)
      return undefined
    }

    return {
      fold: (events) =>
        events.flatMap((event) => {
          const audit = foldEvent(event)
          return audit === undefined ? [] : Either.match(audit, { onLeft: () => [], onRight: (known) => [known] })
        }),
      end: Effect.suspend(() => {
        const missing = tasks?.find((taskId) => !done.has(taskId) && !open.has(taskId))
        if (missing !== undefined) return new TaskAudit.TaskNotFound({ taskId: missing })
        return Effect.all([...open].map(([taskId, sections]) => complete(taskId, sections)))
      }),
    }
  })

const lastOf = (page: Chunk.Chunk<Event>): number => (Chunk.isNonEmpty(page) ? Chunk.lastNonEmpty(page).position : 0)
