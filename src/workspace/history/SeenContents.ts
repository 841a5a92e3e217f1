/** Finds the files whose content a look at the same path has found before. */

import { type Entry, isSameContent, type Tree } from "../model/Entry.ts"
import * as Trees from "../store/Trees.ts"
import type { Look } from "./Looks.ts"

/** Looks for paths in the tree of a task's start. */
export type SearchIn = (base: string, paths: Trees.Search, found: (path: string, entry: Entry) => void) => void

/** The paths of files whose present content some look found there. */
export const of = (files: Tree, looks: ReadonlyArray<Look>, searchIn: SearchIn): ReadonlySet<string> => {
  const seen = new Set<string>()
  const compare = (path: string, entry: Entry | undefined) => {
    const present = files.get(path)
    if (present !== undefined && entry !== undefined && isSameContent(present, entry)) seen.add(path)
  }
  for (const look of looks) for (const { path, state } of look.files) compare(path, state.entry)
  const search = new Trees.Search([...files.keys()].filter((path) => !seen.has(path)))
  for (const { base } of looks.toReversed()) {
    if (seen.size === files.size) break
    if (base !== undefined) searchIn(base, search, compare)
  }
  return seen
}
