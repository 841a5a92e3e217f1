/** Counts of tasks by outcome, for reports. */

/** Numbers of tasks by outcome. */
export interface Outcomes {
  readonly achieved: number
  readonly failed: number
  readonly truncated: number
  readonly abandoned: number
  readonly open: number
}
