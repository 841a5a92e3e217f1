/** The names of one kind in a scenario, with messages for unknown ones. */

import { similarNames } from "../../values/DidYouMean.ts"
import { describeValue } from "../../values/OptionIssues.ts"
import type { Flaw } from "./source.ts"

export interface KnownNames {
  /** Returns a flaw if the name is unknown. */
  readonly unknown: (path: string, what: string, name: string) => ReadonlyArray<Flaw>
}

/** Maximum numbers of names that a message lists, that are compared for a suggestion, and that get one. */
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
      return [{ path, expected: `${what} (${listed || "none"}${more})`, found }]
    },
  }
}

/** Maximum length of a name in a message, in characters. */
const MAX_NAME = 60

const shown = (name: string): string => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name)
