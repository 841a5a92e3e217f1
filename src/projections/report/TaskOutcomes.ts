/** Counts of tasks by outcome, for reports. */

import { OUTCOMES, type Outcome } from "../summary/Outcome.ts"

/** Numbers of tasks by outcome. */
export type Outcomes = { readonly [outcome in Outcome]: number }

/** Counters of all outcomes, at 0. */
export const none = (): { [outcome in Outcome]: number } => {
  const counts: Partial<{ [outcome in Outcome]: number }> = {}
  for (const outcome of OUTCOMES) counts[outcome] = 0
  return counts as { [outcome in Outcome]: number }
}
