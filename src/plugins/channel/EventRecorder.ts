/**
 * Records one process's events in order, without blocking the code that reads its frames. Limits the rate of log lines.
 */
import { Deferred, Effect, Fiber, Option, Queue, type Scope } from "effect"
import type { CoreNewEvent } from "../../events/log/EventLog.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"

/** Default limit on recorded log lines per second and process. */
const LINES_PER_SECOND = 200

/** Maximum number of waiting lines. Further ones are dropped and counted. */
const MAX_WAITING_LINES = 1_000

/** Maximum length of a recorded line, in characters. Longer ones are cut. */
const MAX_LINE_LENGTH = 8_192

type Level = "debug" | "info" | "warn" | "error"

/**
 * Appends an event to the log.
 *
 * @param taskId the event's task; null for none. Default: the task that the process serves
 */
export type RecordEvent = (event: CoreNewEvent, taskId?: string | null) => Effect.Effect<unknown, unknown>

/** Records an event about something that has already happened. If that fails, the program's log gets the failure. */
export const recordOrLog =
  (record: RecordEvent): ((...recorded: Parameters<RecordEvent>) => Effect.Effect<void>) =>
  (event, taskId) =>
    record(event, taskId).pipe(
      Effect.asVoid,
      Effect.catchAllCause((cause) => ProgramLog.error(`${event.type} was not recorded`, cause, event.payload)),
    )

/** Queues one process's events for the log. Writing never blocks. Closing the scope waits for the queue. */
export interface EventRecorder {
  /** Queues an event, which is never dropped. */
  readonly write: (event: CoreNewEvent) => void
  /**
   * Queues a log line. Lines above the rate or the backlog are dropped, and one line reports their number.
   *
   * @param taskId as in `RecordEvent`
   */
  readonly log: (level: Level, message: string, taskId?: string | null) => void
  /** Completes when the log has everything written so far. */
  readonly flushed: Effect.Effect<void>
}

type Entry =
  | { readonly kind: "event"; readonly event: CoreNewEvent; readonly taskId?: string | null | undefined }
  | { readonly kind: "mark"; readonly reached: Deferred.Deferred<void> }
  | { readonly kind: "end" }

/** The recorder lives as long as the scope. */
export const make = (
  plugin: string,
  record: RecordEvent,
  linesPerSecond: number = LINES_PER_SECOND,
): Effect.Effect<EventRecorder, never, Scope.Scope> =>
  Effect.gen(function* () {
    const entries = yield* Queue.unbounded<Entry>()
    const put = (entry: Entry) => {
      entries.unsafeOffer(entry)
    }
    const log = lineLimiter(
      linesPerSecond,
      (line, taskId) => put({ kind: "event", event: { type: "PluginLogged", payload: { plugin, ...line } }, taskId }),
      () => Option.getOrElse(entries.unsafeSize(), () => 0),
    )
    // An `end` entry stops the fiber. An interruption could lose an entry that the fiber has already taken.
    yield* Effect.acquireRelease(
      Effect.forkDaemon(Effect.uninterruptible(drain(entries, recordOrLog(record)))),
      (drained) =>
        Effect.suspend(() => {
          log.reportDropped()
          put({ kind: "end" })
          return Fiber.join(drained)
        }),
    )
    const flushed = Effect.flatMap(Deferred.make<void>(), (reached) => {
      put({ kind: "mark", reached })
      return Deferred.await(reached)
    })
    return { write: (event) => put({ kind: "event", event }), log: log.offer, flushed }
  })

const drain = (
  entries: Queue.Dequeue<Entry>,
  record: (event: CoreNewEvent, taskId?: string | null) => Effect.Effect<void>,
): Effect.Effect<void> =>
  Effect.flatMap(Queue.take(entries), (entry) => {
    switch (entry.kind) {
      case "end":
        return Effect.void
      case "mark":
        return Effect.zipRight(Deferred.succeed(entry.reached, undefined), drain(entries, record))
      case "event":
        return Effect.zipRight(record(entry.event, entry.taskId), drain(entries, record))
    }
  })

/** `dropped` is set on a line that reports dropped lines. */
interface Line {
  readonly level: Level
  readonly message: string
  readonly dropped?: number
}

const lineLimiter = (perSecond: number, emit: (line: Line, taskId?: string | null) => void, waiting: () => number) => {
  let second = 0
  let lines = 0
  let dropped = 0
  let reportTimer: NodeJS.Timeout | undefined
  const reportDropped = () => {
    clearTimeout(reportTimer)
    reportTimer = undefined
    if (dropped === 0) return
    const message = `${dropped} lines left out: more than ${perSecond} in a second, or ${MAX_WAITING_LINES} waiting`
    emit({ level: "warn", message, dropped })
    dropped = 0
  }
  const offer: EventRecorder["log"] = (level, message, taskId) => {
    const now = Math.floor(performance.now() / 1_000)
    if (now !== second) {
      second = now
      lines = 0
    }
    if (lines >= perSecond || waiting() >= MAX_WAITING_LINES) {
      dropped++
      // Reports dropped lines even if the process writes no more.
      reportTimer ??= setTimeout(reportDropped, 1_000).unref()
      return
    }
    lines++
    reportDropped()
    const line = message.toWellFormed()
    const cut = line.length > MAX_LINE_LENGTH
    const kept = cut ? `${line.slice(0, MAX_LINE_LENGTH).toWellFormed()}… (${line.length} characters)` : line
    emit({ level, message: kept }, taskId)
  }
  return { offer, reportDropped }
}
