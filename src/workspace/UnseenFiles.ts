/** Notes the files that a task's snapshots do not contain, each gap once. */

import type { Unseen } from "../events/vocabulary/Notes.ts"
import type { Tree } from "./model/Entry.ts"
import { type Gap, UNREAD_DIRECTORY } from "./scan/Scan.ts"

/** Gaps that a task names. */
const MAX_NAMED = 10_000

/** Makes a function that returns the gaps that the task has not noted yet. */
export const make = (maxNamed = MAX_NAMED): ((tree: Tree, gaps: ReadonlyArray<Gap>) => ReadonlyArray<Unseen>) => {
  const named = new Set<string>()
  let hasLostDirectory = false
  return (tree, gaps) => {
    const found = new Map<string, { readonly path: string; count: number }>()
    const add = (what: string, path: string, count: number) => {
      const before = found.get(what)
      if (before === undefined) found.set(what, { path, count })
      else before.count += count
    }
    const count = (what: string, path: string) => {
      const key = `${what} ${path}`
      if (named.has(key)) return
      if (named.size < maxNamed) {
        named.add(key)
        add(what, path, 1)
      } else if (what === UNREAD_DIRECTORY && !hasLostDirectory) {
        // Several in one note mean that not each is named: a restore then removes no file that may have been hidden.
        hasLostDirectory = true
        add(what, path, 2)
      }
    }
    for (const { what, path } of gaps) count(what, path)
    for (const [path, { omitted }] of tree) if (omitted !== undefined) count(OMITTED[omitted], path)
    return [...found].map(([what, { path, count }]) => ({
      what,
      target: count === 1 ? path : `${path} and ${count - 1} more`,
      count,
    }))
  }
}

const OMITTED = {
  large: "the content of a file that is too large",
  secret: "the content of a file with secrets: recorded by a digest",
  changing: "the content of a file that changed while it was read",
  unreadable: "the content of a file without permission",
} as const
