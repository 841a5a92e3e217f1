import { Chunk, Effect, Either, Schema, Stream } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import * as Decoding from "../../values/Options.ts"
import * as Projection from "../fold/Projection.ts"
import * as Sections from "./Sections.ts"
import * as TaskAudit from "./TaskAudit.ts"
import * as VerdictCollector from "./VerdictCollector.ts"

/** Which audits are asked for. */
export interface Options {
  /** Only these tasks. Default: all. */
  readonly tasks?: ReadonlyArray<string>
  /** As the log stood at this position. Default: its head, when reading begins. */
  readonly until?: number
  /** Told after each page: positions read so far, of so many. */
  readonly onProgress?: (done: number, of: number) => Effect.Effect<void>
}

/** Their schema. */
export const Options = Decoding.of<Options>({
  optional: {
    tasks: Schema.Array(Schema.String),
    until: Decoding.wholeNumber(0),
    onProgress: Decoding.callable<NonNullable<Options["onProgress"]>>(),
  },
})

/**
 * The audits of all tasks of a log, or of some, each what `TaskAudit.load` answers for it: first those of which all is
 * known, in the order of their closes, then, in the order of their openings, those that are open or have a command whose
 * outcome may still come.
 *
 * The log is read once from beginning to end, and its scorings once before that, since a task may be scored long after it
 * closed. In memory are the tasks that are open at a time, the ids of the others, and what was given in scorings: numbers
 * for each reward and punishment, no events. What is appended while it runs is left out.
 *
 * @example Stream.runForEach(Audits.stream(), (audit) => Console.log(audit.taskId, audit.outcome))
 */
export const stream = (
  given: Options = {},
): Stream.Stream<TaskAudit.TaskAudit, Decoding.InvalidOptions | TaskAudit.TaskNotFound | LogError, EventLog> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const options = yield* Decoding.decode("audits", Options, given)
      const log = yield* EventLog
      const until = options.until ?? (yield* log.head).position
      const passage = yield* begin(options.tasks, until)
      const { onProgress } = options
      const told = (page: Chunk.Chunk<Event>) => onProgress?.(lastOf(page), until) ?? Effect.void
      const pages = Pages.stream(log.readPage, { until, timeline: log.timeline })
      const closed = (
        onProgress === undefined ? pages : Stream.mapChunksEffect(pages, (page) => Effect.as(told(page), page))
      ).pipe(Stream.mapChunks((page) => Chunk.unsafeFromArray(passage.see(Chunk.toReadonlyArray(page)))))
      return Stream.concat(closed, Stream.unwrap(Effect.map(passage.end, Stream.fromIterable)))
    }),
  )

/** The same, each audit given to `take` in turn. */
export const forEach = (
  take: (audit: TaskAudit.TaskAudit) => void,
  options: Options = {},
): Effect.Effect<void, Decoding.InvalidOptions | TaskAudit.TaskNotFound | LogError, EventLog> =>
  Stream.runForEachChunk(stream(options), (audits) => Effect.sync(() => Chunk.forEach(audits, take)))

/** A pass over a log. */
interface Passage {
  /** The audits of the tasks that these events complete. */
  readonly see: (events: ReadonlyArray<Event>) => ReadonlyArray<TaskAudit.TaskAudit>
  /** The audits of the tasks that are left. */
  readonly end: Effect.Effect<ReadonlyArray<TaskAudit.TaskAudit>, TaskAudit.TaskNotFound>
}

const begin = (tasks: ReadonlyArray<string> | undefined, until: number): Effect.Effect<Passage, LogError, EventLog> =>
  Effect.gen(function* () {
    const asked = tasks === undefined ? undefined : new Set(tasks)
    const wanted = (taskId: string) => asked === undefined || asked.has(taskId)
    const gathered = yield* VerdictCollector.collect(until, wanted)
    const open = new Map<string, Sections.State>()
    const done = new Set<string>()

    const give = (taskId: string, sections: Sections.State) => {
      open.delete(taskId)
      done.add(taskId)
      return TaskAudit.document(taskId, { sections, verdicts: gathered.take(taskId) })
    }

    const see = (event: Event) => {
      const { taskId } = event
      if (taskId === null || !wanted(taskId) || done.has(taskId)) return undefined
      const before = open.get(taskId) ?? Sections.projection.initial
      const after = Projection.step(Sections.projection, before, event)
      if (after === before) return undefined
      if (Sections.complete(after)) return give(taskId, after)
      open.set(taskId, after)
      return undefined
    }

    return {
      see: (events) =>
        events.flatMap((event) => {
          const audit = see(event)
          return audit === undefined ? [] : Either.match(audit, { onLeft: () => [], onRight: (known) => [known] })
        }),
      end: Effect.suspend(() => {
        const missing = tasks?.find((taskId) => !done.has(taskId) && !open.has(taskId))
        if (missing !== undefined) return new TaskAudit.TaskNotFound({ taskId: missing })
        return Effect.all([...open].map(([taskId, sections]) => give(taskId, sections)))
      }),
    }
  })

const lastOf = (page: Chunk.Chunk<Event>): number => (Chunk.isNonEmpty(page) ? Chunk.lastNonEmpty(page).position : 0)
