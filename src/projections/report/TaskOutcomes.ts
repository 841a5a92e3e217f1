/** How tasks ended. */
export interface Outcomes {
  readonly achieved: number
  readonly failed: number
  readonly truncated: number
  readonly abandoned: number
  readonly open: number
}
