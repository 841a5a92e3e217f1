/** Selects the score of a task that a report uses. */

import type { Score } from "../audit/Scores.ts"

/** Which score of a task is used, if it has several. */
export interface ScoreChoice {
  /** The name shown to people: `official`, `live`, a label, an id. */
  readonly name: string
  /** The score that the report uses; null if the task has none of that kind. */
  readonly pick: (scores: ReadonlyArray<Score>) => Score | null
}

/** The last score whose set is one of these. */
export const ofSets = (name: string, ids: ReadonlySet<string>): ScoreChoice => ({
  name,
  pick: (scores) => scores.findLast(({ scoreSetId }) => ids.has(scoreSetId)) ?? null,
})

/** The last score whose set has this label. */
export const labelled = (label: string): ScoreChoice => ({
  name: label,
  pick: (scores) => scores.findLast((score) => score.label === label) ?? null,
})
