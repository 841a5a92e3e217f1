/** Several tasks, compared with the first. */
import type { Cost } from "../../values/Money.ts"
import type { CommonScore } from "./Scoring.ts"

/** `GET /api/runs?runs=["TIMELINE/TASK",…]&scores=SET`: 2 to 50 tasks. The log computes it as `table/RunTable`. */
export interface RunTable {
  readonly runs: ReadonlyArray<TableRun>
  /** Runs of one agent and model each. */
  readonly groups: ReadonlyArray<{
    readonly label: string
    readonly runs: number
    /** Runs with a score. */
    readonly scored: number
    /** The mean of their scores; null without a score. */
    readonly mean: number | null
  }>
  readonly scores: ReadonlyArray<CommonScore>
  /** The rubric and critic of all scores in the table; null if no run is scored. */
  readonly scored: CommonScore | null
  /** The findings from the scores, in sentences, and the questions that they leave open. */
  readonly verdicts: ReadonlyArray<string>
}

export interface TableRun {
  readonly timeline: string
  readonly taskId: string
  readonly goal: string | null
  /** Such as `B (hasty)`. */
  readonly label: string
  readonly row: {
    /** What goes on in an open task stands for its outcome. */
    readonly outcome: string | null
    readonly modelCalls: number
    readonly cost: Cost
    readonly tokens: number
    /** Calls whose tokens are unknown: if there are any, `tokens` is a lower bound. */
    readonly unmetered: number
    readonly durationMs: number | null
    readonly steps: number
  }
  /** Its score by the common rubric, if it has one; null is unknown, not 0. */
  readonly net: number | null
  /** Where it splits from the first run; null for the first run. */
  readonly split: {
    /** Positions in the first run and in this one; null if no decision differs. */
    readonly at: { readonly first: number | null; readonly here: number | null } | null
    readonly deed: string | null
    readonly sentence: string
  } | null
}
