/** Selects the score of a task that a list, a page or a report shows. */

import * as CountingScore from "./CountingScore.ts"

/** Selects one of a task's scores. */
export interface ScoreChoice {
  /** The displayed name: `official`, `live`, a label, an id. */
  readonly name: string
  /** Whether it is the default, the score that counts for each task, rather than a scoring that somebody named. */
  readonly isDefault: boolean
  /** Returns the score to use; null if no finished scoring of the choice covers the task. */
  readonly pick: <S extends CountingScore.Scored>(scores: ReadonlyArray<S>) => S | null
}

/**
 * Selects the score that counts for each task (`CountingScore`).
 *
 * @param official the score set that the pointer `official` names
 */
export const counting = (official: string | undefined): ScoreChoice => ({
  name: official === undefined ? CountingScore.LIVE : CountingScore.OFFICIAL,
  isDefault: true,
  pick: (scores) => CountingScore.of(scores, official),
})

/** Selects the last finished score of these sets. */
export const ofSets = (name: string, ids: ReadonlySet<string>): ScoreChoice => ({
  name,
  isDefault: false,
  pick: (scores) => scores.findLast(({ scoreSetId, finished }) => finished && ids.has(scoreSetId)) ?? null,
})

/** Selects the last finished score with this label. */
export const labelled = (label: string): ScoreChoice => ({
  name: label,
  isDefault: false,
  pick: (scores) => scores.findLast((score) => score.finished && score.label === label) ?? null,
})

/** The score that it selects, for sentences: `score`, or `score by strict`. */
export const inWords = ({ name, isDefault }: ScoreChoice): string => (isDefault ? "score" : `score by ${name}`)
