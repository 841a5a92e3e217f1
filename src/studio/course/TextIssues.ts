/** What is wrong with a text that somebody edits, as far as it is told. */

import type { TextIssue } from "../wire/Asking.ts"

/** Most issues of a text that are told: the first ones lead to the others. */
const MAX_TOLD = 200

/** The first issues, each with its place, and how many more there are. */
export const told = <Flaw>(
  flaws: ReadonlyArray<Flaw>,
  issueOf: (flaw: Flaw) => TextIssue,
): ReadonlyArray<TextIssue> => {
  const more = flaws.length - MAX_TOLD
  return [
    ...flaws.slice(0, MAX_TOLD).map(issueOf),
    ...(more > 0 ? [{ line: null, column: null, message: `and ${more} more mistakes` }] : []),
  ]
}
