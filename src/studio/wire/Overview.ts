/** The API's answer about all tasks of a timeline together, and its filters. */

import type { ModelTotals } from "./Task.ts"

/**
 * Filters of `GET /api/tasks` and `GET /api/overview`, all optional:
 *
 * - `where`: CEL over `task`, such as `task.cost > 0.1`
 * - `text`: words that one of its events has (`/api/search`)
 * - `state`: an outcome, an activity such as `running`, or `questions` for tasks that wait for a person's answer
 * - `agent`: `name@version`
 * - `model`: `provider/model`, one of those that it called
 * - `day`: the beginning of `YYYY-MM-DDTHH`, by the clock of `zone` (default `UTC`): when it was opened
 */
export interface TaskFilters {
  readonly where?: string
  readonly text?: string
  readonly state?: string
  readonly agent?: string
  readonly model?: string
  readonly day?: string
  readonly zone?: string
}

/** Number of tasks by state: outcomes, and activities of open tasks. */
export interface States {
  readonly [state: string]: number
}

/**
 * `GET /api/overview?timeline=…` with filters. Its numbers are about all tasks that pass the filters. The choices of
 * each filter count the tasks that pass all others.
 */
export interface TaskOverview {
  /** Number of tasks that pass the filters, and of all. */
  readonly tasks: number
  readonly all: number
  readonly states: States
  /** The mean net score of the scored tasks, by the score sets that count; null if none is scored. */
  readonly score: { readonly mean: number; readonly tasks: number; readonly sets: ReadonlyArray<string> } | null
  /** Null while the server is still counting. */
  readonly counted: Counted | null
  readonly choices: {
    readonly states: States
    /** Number of tasks with questions to people. */
    readonly questions: number
    readonly agents: ReadonlyArray<Choice>
    /** Null while the server is still counting. */
    readonly models: ReadonlyArray<Choice> | null
    readonly days: Days
  }
}

export interface Counted {
  /** The median duration of the closed tasks by their own time, in ms; null if none is closed. */
  readonly durationMs: { readonly median: number; readonly tasks: number } | null
  /** The model calls of all these tasks; null if no model was called. */
  readonly use: ModelTotals | null
  /** Number of tasks that called a model. */
  readonly withModels: number
}

export interface Choice {
  readonly name: string
  readonly tasks: number
}

/** When the tasks were opened, in at most 60 slots without gaps. */
export interface Days {
  /** The length of a slot. */
  readonly unit: "hour" | "day" | "month" | "year"
  /** By which clock. */
  readonly zone: string
  readonly slots: ReadonlyArray<{ readonly day: string; readonly states: States }>
}
