/** Names that a scenario has, and what is wrong with one that is not among them. */

import { similarNames } from "../../values/DidYouMean.ts"
import { describeValue } from "../../values/OptionIssues.ts"
import type { Flaw } from "./source.ts"

/** Names of one kind. */
export interface KnownNames {
  /** The flaw of a name that is not among them. */
  readonly unknown: (path: string, what: string, name: string) => ReadonlyArray<Flaw>
}

/** Most names that a message lists, of which a similar one is suggested, and for which one is. */
const MAX_LISTED = 20
const MAX_COMPARED = 500
const MAX_SUGGESTED = 100

/** @param canonical the form in which names are compared */
export const of = (names: ReadonlyArray<string>, canonical: (name: string) => string): KnownNames => {
  const known = new Set(names.map(canonical))
  const listed = names.slice(0, MAX_LISTED).map(shown).join(", ")
  const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : ""
  let compared = 0
  return {
    unknown: (path, what, name) => {
      if (known.has(canonical(name))) return []
      const [nearest] = compared++ < MAX_SUGGESTED ? similarNames(canonical(name), names.slice(0, MAX_COMPARED)) : []
      const found = `${describeValue(name)}${nearest === undefined ? "" : ` (did you mean ${shown(nearest)}?)`}`
      return [{ path, expected: `${what} (${listed || "there is none"}${more})`, found }]
    },
  }
}

/** Longest name in a message, in characters. */
const MAX_NAME = 60

const shown = (name: string): string => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name)
