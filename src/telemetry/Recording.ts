/** Moves the inbox's groups to the log, one after the other, as tasks and score sets. */

import { Cause, Clock, Effect, Option } from "effect"
import { type AppendError, EventLog } from "../events/log/EventLog.ts"
import { accountOf } from "../importing/agentlogs/SharedSession.ts"
import { traces } from "../importing/otlp/Otlp.ts"
import { taskIdOf } from "../importing/runs/Run.ts"
import type { ImportedRun, RunEvent } from "../importing/runs/RunEvent.ts"
import { isSilent, SETTLED_MS } from "../importing/runs/Silence.ts"
import { increase } from "../importing/runs/Tally.ts"
import type { SourceScore } from "../importing/scores/SourceScores.ts"
import * as Owner from "../importing/writing/Owner.ts"
import * as ScoreAppender from "../importing/writing/ScoreAppender.ts"
import { TaskAppender } from "../importing/writing/TaskAppender.ts"
import type { Writing } from "../importing/writing/Writing.ts"
import * as Prices from "../kernel/pricing/Prices.ts"
import type { Group, Inbox, Kept } from "./Inbox.ts"
import * as Mapping from "./Mapping.ts"

export interface Progress {
  /** Called with each task that has something new. */
  readonly onTask: (taskId: string, added: number) => void
  /** Called with each reason for leaving out something readable. */
  readonly onLeftOut: (why: string, count: number) => void
  /** Called when writing to the log fails. The received data stays in the inbox, and Hindcast tries again. */
  readonly onTrouble: (message: string) => void
}

/** Milliseconds of silence before the mapping of a group, while exporters may still send parts of a trace. */
export const quietMs = (source: string): number => (source === traces.name ? QUIET_TRACE_MS : QUIET_SESSION_MS)

/** Exporters send every 5 seconds by default (https://opentelemetry.io/docs/specs/otel/trace/sdk, batching processor). */
const QUIET_TRACE_MS = 6_000
/** A session's records are in order but for the ones that fail and come again. */
const QUIET_SESSION_MS = 1_000

/** Groups mapped concurrently: their appends, and their marks in the inbox, share commits. */
const AT_ONCE = 32

/** Interval between two looks into the inbox, in milliseconds. */
const LOOK_MS = 200

/** Bytes of the groups mapped concurrently; it maps a larger group alone. */
const MAX_MAPPED_BYTES = 64 * 1024 * 1024

const RETRY_MS = 5_000
/** After a group whose mapping failed, and may fail again. */
const DEFECT_RETRY_MS = 60_000

/** An evaluation may come before the spans that it judges. */
const UNKNOWN_TASK_MS = 60_000

/** Works until interrupted. */
export const run = (inbox: Inbox, progress: Progress): Effect.Effect<never, never, EventLog> =>
  Effect.gen(function* () {
    const record = yield* recorder(inbox, progress)
    while (true) {
      const groups = inbox.due(AT_ONCE)
      yield* record(groups)
      if (groups.length < AT_ONCE) yield* Effect.sleep(LOOK_MS)
    }
  })

/** Records everything that arrived, without waiting for silence. For the end of a test or of a process. */
export const drain = (inbox: Inbox, progress: Progress): Effect.Effect<void, never, EventLog> =>
  Effect.flatMap(recorder(inbox, progress), (record) => record(inbox.unmapped()))

/** Records groups, a number of them concurrently, in bounded memory. */
const recorder = (inbox: Inbox, progress: Progress) =>
  Effect.gen(function* () {
    const prices = yield* Prices.load()
    const memory = yield* Effect.makeSemaphore(MAX_MAPPED_BYTES)
    const recorded = (group: Group) =>
      memory.withPermits(Math.min(group.bytes, MAX_MAPPED_BYTES))(recordOne(inbox, group, prices, progress))
    return (groups: ReadonlyArray<Group>) => Effect.forEach(groups, recorded, { concurrency: AT_ONCE, discard: true })
  })

/** Records a group, or says why not and postpones it: the others continue. */
const recordOne = (inbox: Inbox, group: Group, prices: Prices.PriceTable, progress: Progress) =>
  record(inbox, group, prices, progress).pipe(
    Effect.catchAllCause((cause) => {
      if (Cause.isInterrupted(cause)) return Effect.interrupt
      const failure = Cause.failureOption(cause)
      const found = Option.getOrElse(failure, () => Cause.squash(cause))
      return Effect.sync(() => {
        progress.onTrouble(found instanceof Error ? found.message : String(found))
        inbox.postponed(group, Option.isSome(failure) ? RETRY_MS : DEFECT_RETRY_MS)
      })
    }),
  )

const record = (
  inbox: Inbox,
  group: Group,
  prices: Prices.PriceTable,
  progress: Progress,
): Effect.Effect<void, AppendError, EventLog> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const isOfSpans = group.source === traces.name
    const source = isOfSpans ? group.source : accountOf({ name: group.source })
    const taskId = taskIdOf(group.source, Mapping.runOf(group))
    const owner = yield* Owner.of(log, taskId, `import:${source}`)
    if (owner === undefined || (isOfSpans && !owner.isOwn)) {
      progress.onLeftOut("telemetry under the id of a task that another program recorded", group.arrived)
      return yield* Effect.promise(() => inbox.mapped(group, null))
    }
    const writing = { log, source, redact: false, dryRun: false, keepsApart: true }
    const given = { taskId, group, kept: inbox.recordsOf(group), prices, now: yield* Clock.currentTimeMillis, progress }
    const recorded = isOfSpans ? recordSpans(writing, given) : recordSession(writing, given, owner)
    const againAfterMs = yield* recorded
    yield* Effect.promise(() => inbox.mapped(group, againAfterMs))
  })

interface Given {
  readonly taskId: string
  readonly group: Group
  readonly kept: ReadonlyArray<Kept>
  readonly prices: Prices.PriceTable
  readonly now: number
  readonly progress: Progress
}

/** Returns after how long to map the group again; null for never. */
const recordSpans = (writing: Writing, { taskId, group, kept, prices, now, progress }: Given) =>
  Effect.gen(function* () {
    const mapped = Mapping.ofSpans(group, kept, prices, now)
    // The capture of a task counts the records of which it has nothing; a trace without a task is said here.
    for (const [why, count] of mapped.leftOut) if (why.startsWith("trace:")) progress.onLeftOut(why, count)
    const added = [...(yield* append(writing, mapped.events)).values()].reduce((sum, count) => sum + count, 0)
    const waits = yield* recordScores(writing, mapped.scores, taskId, now, progress)
    if (added > 0) progress.onTask(taskId, added)
    return waits ? UNKNOWN_TASK_MS : mapped.againAfterMs
  })

const recordSession = (writing: Writing, { group, kept, prices, now, progress }: Given, owner: Owner.Owner) =>
  Effect.gen(function* () {
    const { events, againAfterMs } = Mapping.ofSession(group, kept, prices, now, owner)
    for (const [taskId, added] of yield* append(writing, events)) if (added > 0) progress.onTask(taskId, added)
    return againAfterMs
  })

/** Appends the events of runs. Returns how many were new, by task. */
const append = (writing: Writing, events: ReadonlyArray<RunEvent>) =>
  Effect.gen(function* () {
    const appenders = new Map<ImportedRun, TaskAppender>()
    for (const event of events) {
      const appender = appenders.get(event.run) ?? new TaskAppender(writing, event.run)
      appenders.set(event.run, appender)
      yield* appender.take(event) ?? Effect.void
    }
    const added = new Map<string, number>()
    for (const appender of appenders.values()) {
      yield* appender.flush
      const [taskId = ""] = appender.taskIds
      increase(added, taskId, appender.added)
    }
    return added
  })

/**
 * A score set for each evaluation: one that comes later adds a set and replaces none. Returns whether they wait for
 * their task.
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
      const at = scores.reduce((last, { of = "" }) => Math.max(last, Number(of.split("/").at(-1)) || now), 0)
      if (!isSilent({ now, modifiedAt: now }, Math.min(at, now + SETTLED_MS))) return true
      progress.onLeftOut("evaluation: the trace that it judges never came", scores.length)
      return false
    }
    yield* ScoreAppender.append(writing, scores)
    return false
  })
