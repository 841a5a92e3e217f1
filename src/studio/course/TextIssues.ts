/** Limits the issues of a text that somebody edits. */

import type { TextIssue } from "../wire/Asking.ts"

/** Maximum number of issues: the first ones usually cause the others. */
const MAX_TOLD = 200

/** The first issues with their places, and the number of further ones. */
export const told = <Flaw>(
  flaws: ReadonlyArray<Flaw>,
  issueOf: (flaw: Flaw) => TextIssue,
): ReadonlyArray<TextIssue> => {
  const more = flaws.length - MAX_TOLD
  return [
    ...flaws.slice(0, MAX_TOLD).map(issueOf),
    ...(more > 0 ? [{ line: null, column: null, message: `and ${more} more issues` }] : []),
  ]
}
