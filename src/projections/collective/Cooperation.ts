/** Counts the commands that are cooperation. Only the reader knows which actions are. Pure, without imports. */

/** How often each action occurred in a part of a task. */
export type ActionCounts = { readonly [action: string]: number }

/** The number of commands whose action counts as cooperation; null if nobody said which do. */
export const cooperativeIn = (counts: ActionCounts, cooperative: ReadonlyArray<string> | null): number | null =>
  cooperative === null
    ? null
    : [...new Set(cooperative)].reduce((sum, one) => sum + (Object.hasOwn(counts, one) ? (counts[one] ?? 0) : 0), 0)
