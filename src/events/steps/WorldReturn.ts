/** The score set of the rewards from a task's worlds. Its net is the return. */

/** The label of such score sets. */
export const LABEL = "return"

/** The id of the score set of a task's return. */
export const scoreSetOf = (taskId: string): string => `return-${taskId}`
