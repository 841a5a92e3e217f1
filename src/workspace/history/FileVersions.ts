/** The versions of a file, through its renames. Pure. */

import { apply, type FileState } from "../model/Document.ts"
import * as Entry from "../model/Entry.ts"
import type { Found } from "../store/Trees.ts"
import { type Look, sourceOf } from "./Looks.ts"

export interface FileVersion {
  readonly look: Look
  /** The file's path at that time. */
  readonly path: string
  /** `start`: at a task's start. `unknown`: a task's start, whose tree the store lacks. */
  readonly kind: FileState["kind"] | "start" | "unknown"
  /** The earlier path of a renamed file. */
  readonly from: string | undefined
  /** Undefined if there was no such file, or if this is unknown. */
  readonly entry: Entry.Entry | undefined
  readonly lines: FileState["lines"]
}

/** A tree by its digest; undefined if the store lacks it. */
export type TreeOf = (base: string) => Entry.Tree | undefined

/** A path's entry in a tree by its digest. */
export type EntryIn = (base: string, path: string) => Found

/**
 * The versions of the file that has a path after the last look, oldest first. Leaves out looks that found no change.
 */
export const of = (looks: ReadonlyArray<Look>, path: string, entryIn: EntryIn): ReadonlyArray<FileVersion> => {
  const found: Array<FileVersion> = []
  let name = path
  for (const look of looks.toReversed()) {
    if (look.base !== undefined) {
      const { isKnown, entry } = entryIn(look.base, name)
      const kind = isKnown ? "start" : "unknown"
      found.push({ look, path: name, kind, from: undefined, entry, lines: undefined })
    }
    const state = look.files.findLast((file) => file.path === name)?.state
    if (state === undefined) continue
    const { kind, from, entry, lines } = state
    found.push({ look, path: name, kind, from, entry, lines })
    if (from !== undefined) name = from
  }
  const versions: Array<FileVersion> = []
  for (const version of found.toReversed()) {
    const before = versions.at(-1)
    if (!isSame(before, version)) versions.push(version)
    else if (before !== undefined && knowsMore(version, before)) versions[versions.length - 1] = version
  }
  return versions
}

/** Whether two successive looks found the same: at a task's start, or as two tasks in one directory. */
const isSame = (before: FileVersion | undefined, { kind, from, entry }: FileVersion): boolean => {
  if (kind === "unknown" || before?.kind === "unknown" || from !== undefined) return false
  if (before?.entry === undefined || entry === undefined) return before?.entry === entry
  return Entry.isSame(before.entry, entry)
}

/** A call's own task knows the call; other tasks in the directory do not. */
const knowsMore = ({ look }: FileVersion, before: FileVersion): boolean =>
  look.base === undefined && sourceOf(look).kind === "call" && sourceOf(before.look).kind !== "call"

/**
 * The files after the last look; undefined if the store lacks the tree at its task's start. Each task knows all files,
 * so the last look's task is enough.
 */
export const treeAfter = (looks: ReadonlyArray<Look>, treeOf: TreeOf): Entry.Tree | undefined => {
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

/** A path's entry after the looks of one task, without reading the whole tree. */
export const entryAfter = (looks: ReadonlyArray<Look>, path: string, entryIn: EntryIn): Found => {
  for (const { base, files } of looks.toReversed()) {
    const changed = files.findLast((file) => file.path === path)
    if (changed !== undefined) return { isKnown: true, entry: changed.state.entry }
    if (base !== undefined) return entryIn(base, path)
  }
  return { isKnown: false }
}

/** Whether a look names the path, or a task's start includes it. */
export const hasPath = (looks: ReadonlyArray<Look>, path: string, entryIn: EntryIn): boolean =>
  looks.some(
    ({ base, files }) =>
      files.some((file) => file.path === path) || (base !== undefined && entryIn(base, path).entry !== undefined),
  )

/** The paths that looks name, and those of the trees at the tasks' starts. */
export const pathsIn = (looks: ReadonlyArray<Look>, treeOf: TreeOf): ReadonlySet<string> => {
  const paths = new Set<string>()
  for (const { base, files } of looks) {
    for (const path of (base === undefined ? undefined : treeOf(base))?.keys() ?? []) paths.add(path)
    for (const { path } of files) paths.add(path)
  }
  return paths
}
