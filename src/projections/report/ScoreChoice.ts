/** Selects the score of a task that a report uses. */

import type { Score } from "../audit/Scores.ts"

/** Selects one of a task's scores. */
export interface ScoreChoice {
  /** The displayed name: `official`, `live`, a label, an id. */
  readonly name: string
  /** Returns the score to use; null if the task has none. */
  readonly pick: (scores: ReadonlyArray<Score>) => Score | null
}

/** Selects the last score of these sets. */
export const ofSets = (name: string, ids: ReadonlySet<string>): ScoreChoice => ({
  name,
  pick: (scores) => scores.findLast(({ scoreSetId }) => ids.has(scoreSetId)) ?? null,
})

/** Selects the last score with this label. */
export const labelled = (label: string): ScoreChoice => ({
  name: label,
  pick: (scores) => scores.findLast((score) => score.label === label) ?? null,
})
