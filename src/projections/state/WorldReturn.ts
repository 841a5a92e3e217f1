/** The score set in which the rewards of a task's worlds are: its net is the return. */

/** The label of the score sets of worlds' rewards. */
export const LABEL = "return"

/** The id of the score set of a task's return. */
export const scoreSetOf = (taskId: string): string => `return-${taskId}`
