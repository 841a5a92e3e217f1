/** The facts in a list's row that come from a task's outline. */

import type { Outline } from "../course/Outline.ts"
import * as Strip from "../course/Strip.ts"

export interface OutlineFacts {
  readonly first: number
  readonly last: number
  readonly begunAt: number
  readonly events: number
  readonly steps: number
  readonly strip: string
  /** From the opening to the close by the task's own time, in ms, as its audit counts it; null while it is open. */
  readonly durationMs: number | null
}

/** The positions at which a task was opened and closed. */
export interface Ends {
  readonly from: number
  /** Null while it is open. */
  readonly to: number | null
}

export const of = (outline: Outline, { from, to }: Ends): OutlineFacts => {
  const end = to === null ? outline.length : outline.countBefore(to + 1)
  const [begun = 0, ended = 0] = [outline.times[outline.countBefore(from)], outline.times[end - 1]]
  return {
    first: outline.positions[0] ?? 0,
    last: outline.last,
    begunAt: outline.times[0] ?? 0,
    events: outline.length,
    steps: outline.steps,
    strip: Strip.of(outline.kinds().slice(0, end)),
    durationMs: to === null ? null : ended - begun,
  }
}
