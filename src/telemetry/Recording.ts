/** Moves what arrives in the inbox to the log, one group after the other, as tasks and score sets. */

import { Clock, Effect } from "effect"
import { type AppendError, EventLog } from "../events/log/EventLog.ts"
import { taskIdOf } from "../importing/runs/Run.ts"
import type { ImportedRun } from "../importing/runs/RunEvent.ts"
import type { SourceScore } from "../importing/runs/Runs.ts"
import { isSilent, SETTLED_MS } from "../importing/runs/Silence.ts"
import * as ScoreAppender from "../importing/writing/ScoreAppender.ts"
import { TaskAppender, type Writing } from "../importing/writing/TaskAppender.ts"
import * as Prices from "../kernel/pricing/Prices.ts"
import * as Alongside from "./Alongside.ts"
import type { Group, Inbox } from "./Inbox.ts"
import * as Mapping from "./Mapping.ts"

export interface Progress {
  /** Called with each task that has something new. */
  readonly onTask: (taskId: string, added: number) => void
  /** Called with each reason for which something readable was left out. */
  readonly onLeftOut: (why: string, count: number) => void
  /** Called when the log cannot be written. What arrived stays in the inbox, and is tried again. */
  readonly onTrouble: (message: string) => void
}

/** Milliseconds of silence after which a group is mapped, while exporters may still send parts of a trace. */
export const quietMs = (source: string): number => (source === "otlp" ? QUIET_TRACE_MS : QUIET_SESSION_MS)

/** Exporters send every 5 seconds by default (https://opentelemetry.io/docs/specs/otel/trace/sdk, batching processor). */
const QUIET_TRACE_MS = 6_000
/** A session's records are in order but for the ones that fail and come again. */
const QUIET_SESSION_MS = 1_000

/** Groups mapped concurrently: their appends share commits. */
const AT_ONCE = 32

/** Interval between two looks into the inbox, in milliseconds. */
const LOOK_MS = 200

const RETRY_MS = 5_000

/** An evaluation may come before the spans that it judges. */
const UNKNOWN_TASK_MS = 60_000

/** Works until interrupted. */
export const run = (inbox: Inbox, progress: Progress): Effect.Effect<never, never, EventLog> =>
  Effect.gen(function* () {
    const prices = yield* Prices.load()
    while (true) {
      const groups = inbox.due(AT_ONCE)
      yield* Effect.forEach(groups, (group) => recordOne(inbox, group, prices, progress), {
        concurrency: AT_ONCE,
        discard: true,
      })
      if (groups.length < AT_ONCE) yield* Effect.sleep(LOOK_MS)
    }
  })

/** Records everything that arrived, without waiting for silence. For the end of a test or of a process. */
export const drain = (inbox: Inbox, progress: Progress): Effect.Effect<void, never, EventLog> =>
  Effect.gen(function* () {
    const prices = yield* Prices.load()
    for (const group of inbox.unmapped()) yield* recordOne(inbox, group, prices, progress)
  })

const recordOne = (inbox: Inbox, group: Group, prices: Prices.PriceTable, progress: Progress) =>
  record(inbox, group, prices, progress).pipe(
    Effect.catchAll((error: AppendError) =>
      Effect.sync(() => {
        progress.onTrouble(error.message)
        inbox.postponed(group, RETRY_MS)
      }),
    ),
  )

const record = (
  inbox: Inbox,
  group: Group,
  prices: Prices.PriceTable,
  progress: Progress,
): Effect.Effect<void, AppendError, EventLog> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const now = yield* Clock.currentTimeMillis
    const isOfSpans = group.source === "otlp"
    const source = isOfSpans ? group.source : `${group.source}-logs`
    const taskId = taskIdOf(group.source, Mapping.runOf(group))
    const [first] = isOfSpans ? [] : yield* log.readPage({ stream: `task/${taskId}` }, 1)
    const isBeside = first !== undefined && first.actor !== `import:${source}`
    const elsewhere = !isBeside ? undefined : first.actor.startsWith("import:") ? "import" : "hooks"
    const kept = inbox.recordsOf(group)
    const mapped = isOfSpans
      ? Mapping.ofSpans(group, kept, prices, now)
      : Mapping.ofSession(group, kept, prices, now, elsewhere)
    // The capture of a task counts the records of which it has nothing; a trace without a task is said here.
    for (const [why, count] of mapped.leftOut) if (why.startsWith("trace:")) progress.onLeftOut(why, count)
    if (isBeside) {
      const added = yield* Alongside.append({ log, source, taskId, openedBy: first.id }, mapped.events)
      if (added > 0) progress.onTask(taskId, added)
      return inbox.mapped(group, mapped.againAfterMs)
    }
    const writing = { log, source, redact: false, dryRun: false }
    const appenders = new Map<ImportedRun, TaskAppender>()
    for (const event of mapped.events) {
      const run = event.run
      const appender = appenders.get(run) ?? new TaskAppender(writing, run)
      appenders.set(run, appender)
      yield* appender.take(event) ?? Effect.void
    }
    let added = 0
    for (const appender of appenders.values()) {
      yield* appender.flush
      added += appender.added
    }
    const waits = yield* recordScores(writing, mapped.scores, taskId, now, progress)
    if (added > 0) progress.onTask(taskId, added)
    inbox.mapped(group, waits ? UNKNOWN_TASK_MS : mapped.againAfterMs)
  })

/**
 * A score set for each evaluation, so that one that comes later adds a set and replaces none. Returns whether they wait
 * for their task.
 */
const recordScores = (
  writing: Writing,
  scores: ReadonlyArray<SourceScore>,
  taskId: string,
  now: number,
  progress: Progress,
) =>
  Effect.gen(function* () {
    if (scores.length === 0) return false
    if ((yield* writing.log.versionOf(`task/${taskId}`)) === 0) {
      const at = Math.max(...scores.map(({ of = "" }) => Number(of.split("/").at(-1)) || now))
      if (!isSilent({ now, modifiedAt: now }, Math.min(at, now + SETTLED_MS))) return true
      progress.onLeftOut("evaluation: the trace that it judges never came", scores.length)
      return false
    }
    yield* Effect.forEach(scores, (score) => ScoreAppender.append(writing, [score]), { discard: true })
    return false
  })
