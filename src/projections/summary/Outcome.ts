/** The outcome of a task in one word, for lists, tables and pages. */

import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"

/** Outcomes of a task: those of `TaskClosed`; `finished`, if nobody judged the result; and `open`. */
export const OUTCOMES = ["achieved", "finished", "failed", "truncated", "abandoned", "open"] as const

/** The outcome of a task in one word. */
export type Outcome = (typeof OUTCOMES)[number]

/** A task whose work ended without a judgement is `finished`, not `achieved`. */
export const of = ({
  outcome,
  unjudged,
}: {
  readonly outcome: TaskOutcome | null
  readonly unjudged?: true | undefined
}): Outcome => (outcome === null ? "open" : outcome === "achieved" && unjudged === true ? "finished" : outcome)
