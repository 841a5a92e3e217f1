/** Finds contents that a person may want to remove from the store. Pure. */

import type { Entry } from "../model/Entry.ts"
import * as FileVersions from "./FileVersions.ts"
import type { Look } from "./Looks.ts"

/** The digests of every content of a path, including those under earlier names. */
export const ofFile = (
  looks: ReadonlyArray<Look>,
  path: string,
  entryIn: FileVersions.EntryIn,
): ReadonlySet<string> => {
  const digests = new Set<string>()
  const add = (entry: Entry | undefined) => {
    const digest = storedDigest(entry)
    if (digest !== undefined) digests.add(digest)
  }
  for (const { entry } of FileVersions.of(looks, path, entryIn)) add(entry)
  // Two tasks in one directory have one history, but both may name contents.
  for (const { base, files } of looks) {
    if (base !== undefined) add(entryIn(base, path).entry)
    for (const file of files) if (file.path === path) add(file.state.entry)
  }
  return digests
}

/** The other paths that have one of these contents, in a look or in a tree at a task's start. */
export const alsoAt = (
  looks: ReadonlyArray<Look>,
  digests: ReadonlySet<string>,
  path: string,
  treeOf: FileVersions.TreeOf,
): ReadonlyArray<string> => {
  const paths = new Set<string>()
  const add = (at: string, entry: Entry | undefined) => {
    const digest = storedDigest(entry)
    if (at !== path && digest !== undefined && digests.has(digest)) paths.add(at)
  }
  for (const { base, files } of looks) {
    for (const [at, entry] of (base === undefined ? undefined : treeOf(base)) ?? []) add(at, entry)
    for (const { path: at, state } of files) add(at, state.entry)
  }
  return [...paths].sort()
}

/**
 * The digests of contents that no state of any workspace needs from a position on, nor the last state of a timeline.
 * Undefined if the store lacks a tree, because then the needed contents are unknown.
 *
 * @param histories the looks of each timeline, those that it shares with others included
 */
export const before = (
  histories: ReadonlyArray<ReadonlyArray<Look>>,
  position: number,
  treeOf: FileVersions.TreeOf,
): ReadonlySet<string> | undefined => {
  const found = histories.map((looks) => parts(looks, position, treeOf))
  const earlier = new Set<string>()
  for (const part of found) {
    if (part === undefined) return undefined
    for (const digest of part.earlier) earlier.add(digest)
  }
  for (const part of found) for (const digest of part?.needed ?? []) earlier.delete(digest)
  return earlier
}

/** The digests of contents that looks name; undefined if the store lacks a tree. */
export const namedIn = (
  looks: ReadonlyArray<Pick<Look, "base" | "files">>,
  treeOf: FileVersions.TreeOf,
): ReadonlySet<string> | undefined => {
  const named = new Set<string>()
  for (const { base, files } of looks) {
    const tree = base === undefined ? new Map<string, Entry>() : treeOf(base)
    if (tree === undefined) return undefined
    for (const entry of [...tree.values(), ...files.map(({ state }) => state.entry)]) {
      const digest = storedDigest(entry)
      if (digest !== undefined) named.add(digest)
    }
  }
  return named
}

/** The contents of one timeline's states up to a position, and those that states from it on need. */
const parts = (looks: ReadonlyArray<Look>, position: number, treeOf: FileVersions.TreeOf) => {
  const earlier = new Set<string>()
  const needed = new Set<string>()
  const add = (to: Set<string>, entries: Iterable<Entry | undefined>) => {
    for (const entry of entries) {
      const digest = storedDigest(entry)
      if (digest !== undefined) to.add(digest)
    }
  }
  for (const { event, base, files } of looks) {
    const to = event.position <= position ? earlier : needed
    add(
      to,
      files.map(({ state }) => state.entry),
    )
    const tree = base === undefined ? new Map<string, Entry>() : treeOf(base)
    if (tree === undefined) return undefined
    add(to, tree.values())
  }
  const past = looks.filter(({ event }) => event.position <= position)
  // Each task's state at that position, from which its later looks continue; the last one is also the directory's
  // state.
  for (const taskId of new Set(past.map((look) => look.taskId))) {
    const own = looks.filter((look) => look.taskId === taskId)
    const ownPast = own.filter(({ event }) => event.position <= position)
    const root = own[0]?.root
    const isLast = past.findLast((look) => look.root === root)?.taskId === taskId
    if (!isLast && ownPast.length === own.length) continue
    const tree = FileVersions.treeAfter(ownPast, treeOf)
    if (tree === undefined) return undefined
    add(needed, tree.values())
  }
  return { earlier, needed }
}

/** Undefined for a file whose content was never stored. */
const storedDigest = (entry: Entry | undefined): string | undefined =>
  entry?.omitted === undefined ? entry?.digest : undefined
