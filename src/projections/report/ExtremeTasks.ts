/** The part of a log report that lists the best and the worst tasks. */

import type { Score, ScoredVerdict } from "../audit/Scores.ts"
import type { TaskAudit } from "../audit/TaskAudit.ts"
import * as Outcome from "../summary/Outcome.ts"

/** A listed task. */
export interface ListedTask {
  readonly taskId: string
  readonly goal: string
  readonly agent: string
  readonly outcome: Outcome.Outcome
  readonly range: TaskAudit["range"]
  readonly steps: number
  readonly durationMs: number | null
  readonly net: number
  readonly possible: number
  /** The names of the reward and of the punishment with the greatest amounts. */
  readonly gained: string | null
  readonly cost: string | null
}

/** The tasks with the greatest and the smallest net scores; of equal ones, the earlier. No task is in both lists. */
export interface Extremes {
  readonly best: ReadonlyArray<ListedTask>
  readonly worst: ReadonlyArray<ListedTask>
}

/** Maximum number of tasks in a list. */
const MAX_LISTED = 10

/** Maximum length of a text from the log, in characters. */
const MAX_TEXT = 200

export class ExtremeTasks {
  readonly #best: Array<ListedTask> = []
  readonly #worst: Array<ListedTask> = []

  add(audit: TaskAudit, score: Score): void {
    insert(this.#best, audit, score, (a, b) => a > b)
    insert(this.#worst, audit, score, (a, b) => a < b)
  }

  report(): Extremes {
    const best = new Set(this.#best.map(({ taskId }) => taskId))
    return { best: [...this.#best], worst: this.#worst.filter(({ taskId }) => !best.has(taskId)) }
  }
}

const insert = (list: Array<ListedTask>, audit: TaskAudit, score: Score, before: (a: number, b: number) => boolean) => {
  const at = list.findIndex(({ net }) => before(score.net, net))
  if (at < 0 && list.length >= MAX_LISTED) return
  list.splice(at < 0 ? list.length : at, 0, listed(audit, score))
  if (list.length > MAX_LISTED) list.pop()
}

const listed = (audit: TaskAudit, { net, possible, measures }: Score): ListedTask => {
  const { taskId, range, steps, durationMs } = audit
  return {
    taskId,
    outcome: Outcome.of(audit),
    range,
    steps,
    durationMs,
    net,
    possible,
    goal: truncate(audit.goal),
    agent: truncate(audit.agent),
    gained: greatest(measures.flatMap(({ rewards }) => rewards)),
    cost: greatest(measures.flatMap(({ punishments }) => punishments)),
  }
}

const truncate = (text: string): string => [...text.slice(0, 2 * MAX_TEXT)].slice(0, MAX_TEXT).join("")

const greatest = (verdicts: ReadonlyArray<ScoredVerdict>): string | null => {
  const found = verdicts.reduce<ScoredVerdict | undefined>(
    (most, verdict) => (verdict.amount > (most?.amount ?? 0) ? verdict : most),
    undefined,
  )
  return found === undefined ? null : truncate(found.name)
}
