/** The part of a log report that lists its tasks, the newest first, and those whose failure it explains. */

import type { Score } from "../audit/Scores.ts"
import type { TaskAudit } from "../audit/TaskAudit.ts"
import * as Outcome from "../summary/Outcome.ts"

/** A task in the list. */
export interface ReportedTask {
  readonly taskId: string
  readonly goal: string
  readonly agent: string
  readonly outcome: Outcome.Outcome
  readonly reason: string | null
  readonly range: TaskAudit["range"]
  readonly steps: number
  readonly durationMs: number | null
  /** The score of the report's scoring; null if the task has none. */
  readonly score: { readonly net: number; readonly label: string } | null
  /** Tokens and cost of its model calls; null if it called no model. */
  readonly model: Pick<NonNullable<TaskAudit["model"]>, "inputTokens" | "outputTokens" | "unmetered" | "cost"> | null
}

/** The listed tasks. Their number does not grow with the log. */
export interface ListOfTasks {
  /** Newest first. */
  readonly rows: ReadonlyArray<ReportedTask>
  /** Number of earlier tasks, which are left out. */
  readonly left: number
  /** Open tasks, oldest first: at most 10,000. */
  readonly open: ReadonlyArray<string>
  /** Closed tasks that failed, were abandoned or ran into a limit, in the order of Studio's list: worst first. */
  readonly worst: ReadonlyArray<string>
}

/** Maximum numbers of tasks in the lists. */
const MOST = { rows: 200, open: 10_000, worst: 3 } as const

/** Maximum length of a text from the log, in characters. */
const TEXT = 200

export class ReportedTasks {
  #rows: Array<ReportedTask> = []
  #tasks = 0
  readonly #open: Array<ReportedTask> = []
  readonly #worst: Array<ReportedTask> = []

  add(audit: TaskAudit, score: Score | null): void {
    const row = rowOf(audit, score)
    this.#tasks += 1
    this.#rows.push(row)
    if (this.#rows.length >= 2 * MOST.rows) this.#rows = newest(this.#rows)
    if (row.outcome === "open" && this.#open.length < MOST.open) this.#open.push(row)
    if (RANKS[row.outcome] === undefined) return
    this.#worst.push(row)
    this.#worst.sort(worse)
    if (this.#worst.length > MOST.worst) this.#worst.pop()
  }

  report(): ListOfTasks {
    const rows = newest(this.#rows)
    const open = this.#open.toSorted((a, b) => a.range.from - b.range.from)
    const ids = (tasks: ReadonlyArray<ReportedTask>) => tasks.map(({ taskId }) => taskId)
    return { rows, left: this.#tasks - rows.length, open: ids(open), worst: ids(this.#worst) }
  }
}

const newest = (rows: ReadonlyArray<ReportedTask>): Array<ReportedTask> =>
  rows.toSorted((a, b) => b.range.from - a.range.from).slice(0, MOST.rows)

/** The outcomes to explain, worst first. */
const RANKS: { readonly [outcome in Outcome.Outcome]?: number } = { failed: 0, abandoned: 0, truncated: 1 }

const worse = (a: ReportedTask, b: ReportedTask): number =>
  (RANKS[a.outcome] ?? 0) - (RANKS[b.outcome] ?? 0) || compare(netOf(a), netOf(b)) || b.range.from - a.range.from

/** A task without a score comes after the scored ones. */
const netOf = ({ score }: ReportedTask): number => score?.net ?? Number.POSITIVE_INFINITY

/** Treats infinities as equal. */
const compare = (a: number, b: number): number => (a === b ? 0 : a - b)

const rowOf = (audit: TaskAudit, score: Score | null): ReportedTask => {
  const { taskId, goal, agent, reason, range, steps, durationMs, model } = audit
  return {
    ...{ taskId, range, steps, durationMs, goal: truncate(goal), agent: truncate(agent), outcome: Outcome.of(audit) },
    reason: reason === undefined ? null : truncate(reason),
    score: score === null ? null : { net: score.net, label: truncate(score.label || score.scoreSetId) },
    model:
      model === undefined
        ? null
        : {
            inputTokens: model.inputTokens,
            outputTokens: model.outputTokens,
            unmetered: model.unmetered,
            cost: { ...model.cost, prices: [] },
          },
  }
}

const truncate = (text: string): string => [...text.slice(0, 2 * TEXT)].slice(0, TEXT).join("")
