/** The difference of two texts by their words. Pure, and bounded. */

import { diffWordsWithSpace } from "diff"

/** A part of two texts: in both, only in the first (`-`), or only in the second (`+`). */
export interface WordPart {
  readonly mark: " " | "-" | "+"
  readonly text: string
}

/** Maximum number of words that are removed or added. Above it, the texts differ as a whole. */
const MAX_EDITS = 1_000

/** The parts that make up both texts, in order. */
export const between = (before: string, after: string): ReadonlyArray<WordPart> => {
  const whole = [{ mark: "-", text: before } as const, { mark: "+", text: after } as const]
  if (before === "" || after === "") return whole
  const parts = diffWordsWithSpace(before, after, { maxEditLength: MAX_EDITS })
  return parts?.map(({ added, removed, value }) => ({ mark: added ? "+" : removed ? "-" : " ", text: value })) ?? whole
}
