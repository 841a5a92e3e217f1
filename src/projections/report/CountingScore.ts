/** The score of a task that counts if it has several: every list, page and report shows this one by default. */

/** The pointer to the score set that counts, if it exists. */
export const OFFICIAL = "official"

/** The label of the scoring at a task's close. */
export const LIVE = "live"

/** The part of a score that the choice depends on. */
export interface Scored {
  readonly scoreSetId: string
  readonly label: string
  readonly finished: boolean
}

/**
 * Returns the official score, else the one from the task's close, else the newest one; null if no scoring finished. Of
 * two with one label, the later one counts.
 *
 * @param scores in the order of their starts
 * @param official the score set that the pointer `official` names
 */
export const of = <S extends Scored>(scores: ReadonlyArray<S>, official: string | undefined): S | null => {
  const finished = scores.filter((score) => score.finished)
  return (
    finished.find(({ scoreSetId }) => scoreSetId === official) ??
    finished.findLast(({ label }) => label === LIVE) ??
    finished.at(-1) ??
    null
  )
}
