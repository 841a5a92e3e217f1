/** The versions of a file, followed through its renames. Pure. */

import { apply, type FileState } from "../model/Document.ts"
import { type Entry, isSame, type Tree } from "../model/Entry.ts"
import type { Look } from "./Looks.ts"

export interface FileVersion {
  readonly look: Look
  /** The file's path at that time. */
  readonly path: string
  /** `start`: as a task found it. `unknown`: a task's start, whose tree the store lacks. */
  readonly kind: FileState["kind"] | "start" | "unknown"
  /** The earlier path of a renamed file. */
  readonly from: string | undefined
  /** Undefined if there was no such file, or nobody knows. */
  readonly entry: Entry | undefined
  readonly lines: FileState["lines"]
}

/** A tree by its digest; undefined if the store lacks it. */
export type TreeOf = (base: string) => Tree | undefined

/**
 * The versions of the file that has a path after the last look, oldest first. Leaves out a task's start that found the
 * file as it was, or found none where none was.
 */
export const of = (looks: ReadonlyArray<Look>, path: string, treeOf: TreeOf): ReadonlyArray<FileVersion> => {
  const found: Array<FileVersion> = []
  let name = path
  for (const look of looks.toReversed()) {
    if (look.base !== undefined) {
      const tree = treeOf(look.base)
      const entry = tree?.get(name)
      const kind = tree === undefined ? "unknown" : "start"
      found.push({ look, path: name, kind, from: undefined, entry, lines: undefined })
    }
    const state = look.files.findLast((file) => file.path === name)?.state
    if (state === undefined) continue
    const { kind, from, entry, lines } = state
    found.push({ look, path: name, kind, from, entry, lines })
    if (from !== undefined) name = from
  }
  return found.toReversed().filter((version, index, all) => !isSameAs(all[index - 1], version))
}

/** Whether a task's start says nothing new. */
const isSameAs = (before: FileVersion | undefined, version: FileVersion): boolean => {
  if (version.kind !== "start" || before?.kind === "unknown") return false
  const was = before?.entry
  if (was === undefined || version.entry === undefined) return was === version.entry
  return isSame(was, version.entry)
}

/**
 * The files after the last look; undefined if the store lacks the tree at its task's start. A task knows all files, so
 * that of the last look counts.
 */
export const treeAfter = (looks: ReadonlyArray<Look>, treeOf: TreeOf): Tree | undefined => {
  const last = looks.at(-1)
  const own = looks.filter(({ taskId }) => taskId === last?.taskId)
  const start = own.findLastIndex(({ base }) => base !== undefined)
  const base = own[start]?.base
  const found = base === undefined ? undefined : treeOf(base)
  if (found === undefined) return undefined
  const tree = new Map(found)
  for (const { files } of own.slice(start + 1)) apply(tree, files)
  return tree
}

/** All paths that the looks name, those of their first trees included. */
export const pathsIn = (looks: ReadonlyArray<Look>, treeOf: TreeOf): ReadonlySet<string> => {
  const paths = new Set<string>()
  for (const { base, files } of looks) {
    for (const path of (base === undefined ? undefined : treeOf(base))?.keys() ?? []) paths.add(path)
    for (const { path } of files) paths.add(path)
  }
  return paths
}
