/** Counts of tasks by outcome, as reports use them. */

/** Numbers of tasks by outcome. */
export interface Outcomes {
  readonly achieved: number
  readonly failed: number
  readonly truncated: number
  readonly abandoned: number
  readonly open: number
}
