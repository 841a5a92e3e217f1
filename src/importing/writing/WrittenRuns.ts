/** The runs of one file as they are written. Releases runs that ended: each line of a file may be a run. */

import type { Effect } from "effect"
import type { AppendError } from "../../events/log/EventLog.ts"
import type { RunReport } from "../ImportReport.ts"
import type { ImportedRun, RunEvent } from "../runs/RunEvent.ts"
import { TaskAppender } from "./TaskAppender.ts"
import type { Writing } from "./Writing.ts"

/** Maximum number of runs that a file's report and its `FileImported` name. */
const MAX_NAMED = 10_000

/** Totals over all runs of a file. */
export interface RunTotals {
  /** Without those that the log recorded live. */
  readonly runs: number
  /** Runs with new events. */
  readonly changed: number
  readonly open: number
  readonly added: number
  /** Runs that the log recorded live: nothing was added to them. */
  readonly foreign: number
  /** Runs that hooks record now: what these do not see is added by an import after their end. */
  readonly waiting: number
}

interface Released {
  /** How many runs of the file began before it. */
  readonly number: number
  readonly report: RunReport | undefined
}

export class WrittenRuns {
  readonly #writing: Writing
  readonly #before: Map<string, TaskAppender> | undefined
  readonly #appenders = new Map<ImportedRun, TaskAppender>()
  readonly #numbers = new Map<ImportedRun, number>()
  #begun = 0
  /** Runs that ended since the last release. */
  #ended: Array<ImportedRun> = []
  /** Remembered while the mapper holds the run, which may continue. */
  readonly #released = new WeakMap<ImportedRun, Released>()
  readonly #named = new Map<number, RunReport>()
  readonly #checks = new Set<string>()
  #totals: RunTotals = { runs: 0, changed: 0, open: 0, added: 0, foreign: 0, waiting: 0 }

  /** @param before for a dry run of several files: the events that it would have written, by task */
  constructor(writing: Writing, before?: Map<string, TaskAppender>) {
    this.#writing = writing
    this.#before = before
  }

  /** Passes an event to its run's appender. Returns an effect if it must be flushed now. */
  take(event: RunEvent): Effect.Effect<void, AppendError> | undefined {
    const { run } = event
    const appender = this.#appenders.get(run) ?? this.#begin(run)
    const due = appender.take(event)
    if (event.body.type !== "TaskClosed") return due
    this.#ended.push(run)
    return appender.flush
  }

  #begin(run: ImportedRun): TaskAppender {
    const appender = new TaskAppender(this.#writing, run)
    this.#appenders.set(run, appender)
    this.#numbers.set(run, this.#released.get(run)?.number ?? this.#begun++)
    const known = this.#before?.get(run.taskId)
    if (known !== undefined) appender.goesOnFrom(known)
    this.#before?.set(run.taskId, appender)
    return appender
  }

  /** The appenders of runs that were not released. */
  get appenders(): ReadonlyMap<ImportedRun, TaskAppender> {
    return this.#appenders
  }

  /** Number of new events, including those of runs still being written. */
  get added(): number {
    return [...this.#appenders.values()].reduce((sum, { added }) => sum + added, this.#totals.added)
  }

  /** Releases runs that ended, after their events were flushed. */
  releaseEnded(): void {
    for (const run of this.#ended) this.#release(run)
    this.#ended = []
  }

  #release(run: ImportedRun): void {
    const appender = this.#appenders.get(run)
    const number = this.#numbers.get(run)
    if (appender === undefined || number === undefined) return
    this.#appenders.delete(run)
    this.#numbers.delete(run)
    if (appender.isCheck) {
      this.#checks.add(run.taskId)
      return
    }
    const earlier = this.#released.get(run)
    if (earlier !== undefined) this.#count(earlier.report, -1)
    const report = appender.isForeign ? undefined : together(earlier?.report, reportOf(run, appender))
    this.#count(report, 1)
    this.#released.set(run, { number, report })
    if (report !== undefined && number < MAX_NAMED) this.#named.set(number, report)
  }

  #count(report: RunReport | undefined, by: 1 | -1): void {
    const { runs, changed, open, added, foreign, waiting } = this.#totals
    this.#totals =
      report === undefined
        ? { ...this.#totals, foreign: foreign + by }
        : {
            runs: runs + by,
            changed: changed + (report.added > 0 ? by : 0),
            open: open + (report.ended ? 0 : by),
            added: added + report.added * by,
            foreign,
            waiting: waiting + (report.waits === true ? by : 0),
          }
  }

  /** Releases all runs. Returns the first of them in the order in which they began, and the totals of all. */
  conclude(): {
    readonly named: ReadonlyArray<RunReport>
    readonly totals: RunTotals
    /** Number of checks of hooks, which are not imported. */
    readonly checks: number
  } {
    for (const run of [...this.#appenders.keys()]) this.#release(run)
    const named = [...this.#named].sort(([a], [b]) => a - b).map(([, report]) => report)
    return { named, totals: this.#totals, checks: this.#checks.size }
  }
}

const reportOf = (
  run: ImportedRun,
  { taskIds, added, commits, isWaiting, isClosedByHooks }: TaskAppender,
): RunReport => ({
  taskIds,
  goal: run.start.goal,
  ended: run.closed && !isWaiting,
  ...(isWaiting ? { waits: true as const } : {}),
  ...(isClosedByHooks ? { closed: true as const } : {}),
  added,
  commits,
})

const together = (earlier: RunReport | undefined, report: RunReport): RunReport =>
  earlier === undefined
    ? report
    : { ...report, added: earlier.added + report.added, commits: earlier.commits + report.commits }
