/**
 * Records the events of one plugin process in order, without blocking the code that reads its frames. Log lines are
 * rate-limited.
 */
import { Deferred, Effect, Fiber, Option, Queue, type Scope } from "effect"
import type { CoreNewEvent } from "../../events/log/EventLog.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"

/** Default number of log lines per second that are recorded for one process. */
const LINES_PER_SECOND = 200

/** Maximum number of lines that wait to be recorded. Further lines are dropped and counted. */
const MAX_WAITING_LINES = 1_000

/** Maximum length of a recorded line, in characters. Longer lines are cut. */
const MAX_LINE_LENGTH = 8_192

type Level = "debug" | "info" | "warn" | "error"

/**
 * Appends an event to the log, or fails if it cannot.
 *
 * @param taskId the task that the event belongs to; null if it belongs to none. Default: what the process serves
 */
export type RecordEvent = (event: CoreNewEvent, taskId?: string | null) => Effect.Effect<unknown, unknown>

/**
 * Records an event of something that has already happened. If the log does not accept the event, the failure is written
 * to the program's log.
 */
export const recordOrLog =
  (record: RecordEvent): ((...recorded: Parameters<RecordEvent>) => Effect.Effect<void>) =>
  (event, taskId) =>
    record(event, taskId).pipe(
      Effect.asVoid,
      Effect.catchAllCause((cause) => ProgramLog.error(`${event.type} was not recorded`, cause, event.payload)),
    )

/**
 * A queue of one process's events on their way to the log. Writing never blocks. Closing the scope waits until
 * everything written is recorded.
 */
export interface EventRecorder {
  /** Queues an event. It is never dropped. */
  readonly write: (event: CoreNewEvent) => void
  /**
   * Queues a log line. Lines above the rate or the backlog limit are dropped, and one line reports their number.
   *
   * @param taskId as of `RecordEvent`
   */
  readonly log: (level: Level, message: string, taskId?: string | null) => void
  /** Completes when everything written so far is recorded. */
  readonly flushed: Effect.Effect<void>
}

type Entry =
  | { readonly kind: "event"; readonly event: CoreNewEvent; readonly taskId?: string | null | undefined }
  | { readonly kind: "mark"; readonly reached: Deferred.Deferred<void> }
  | { readonly kind: "end" }

/** Makes the recorder of one process's events. */
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
    // The fiber ends on an `end` entry instead of an interruption, so that no entry that was taken from the queue is
    // lost.
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

/** A log line to record. `dropped` is set on the line that reports dropped lines. */
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
      // The timer reports the dropped lines even if the process writes nothing more.
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
