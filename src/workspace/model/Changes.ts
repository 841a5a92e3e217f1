/** The differences between two snapshots. Pure. */

import { type Entry, isSame, isSameContent, type Tree } from "./Entry.ts"

/** The difference of one path between two snapshots. Paths are relative to the recorded directory. */
export type Change =
  | { readonly kind: "added"; readonly path: string; readonly after: Entry }
  | { readonly kind: "changed" | "mode"; readonly path: string; readonly before: Entry; readonly after: Entry }
  | { readonly kind: "removed"; readonly path: string; readonly before: Entry }
  /** The content moved from another path, which is gone. */
  | {
      readonly kind: "renamed"
      readonly path: string
      readonly from: string
      readonly before: Entry
      readonly after: Entry
    }

/** A change of one path. */
export type OwnChange = Exclude<Change, { kind: "renamed" }>

/** Ordered by path. A file counts as renamed if one with the same content is gone, and no other file has this content. */
export const between = (before: Tree, after: Tree): ReadonlyArray<Change> => {
  const { added, removed, changes } = sorted(before, after)
  return byPath([...changes, ...renames(added, removed)])
}

/** Like `between`, but a renamed file is removed at one path and added at the other. */
export const ofPaths = (before: Tree, after: Tree): ReadonlyArray<OwnChange> => {
  const { added, removed, changes } = sorted(before, after)
  return byPath([...changes, ...added, ...removed])
}

/** A tree after changes. */
export const applied = (tree: Tree, changes: ReadonlyArray<OwnChange>): Tree => {
  if (changes.length === 0) return tree
  const after = new Map(tree)
  for (const change of changes) {
    if (change.kind === "removed") after.delete(change.path)
    else after.set(change.path, change.after)
  }
  return after
}

const byPath = <A extends Change>(changes: ReadonlyArray<A>): ReadonlyArray<A> =>
  changes.toSorted((one, other) => (one.path < other.path ? -1 : 1))

const sorted = (before: Tree, after: Tree) => {
  const added: Array<Extract<Change, { kind: "added" }>> = []
  const removed: Array<Extract<Change, { kind: "removed" }>> = []
  const changes: Array<Extract<Change, { kind: "changed" | "mode" }>> = []
  if (before === after) return { added, removed, changes }
  for (const [path, now] of after) {
    const was = before.get(path)
    if (was === undefined) added.push({ kind: "added", path, after: now })
    else if (was !== now && !isSame(was, now))
      changes.push({ kind: isSameContent(was, now) ? "mode" : "changed", path, before: was, after: now })
  }
  for (const [path, was] of before) if (!after.has(path)) removed.push({ kind: "removed", path, before: was })
  return { added, removed, changes }
}

const renames = (
  added: ReadonlyArray<Extract<Change, { kind: "added" }>>,
  removed: ReadonlyArray<Extract<Change, { kind: "removed" }>>,
): ReadonlyArray<Change> => {
  if (added.length === 0 || removed.length === 0) return [...added, ...removed]
  const byDigest = new Map<string, Array<Extract<Change, { kind: "removed" }>>>()
  for (const change of removed) {
    const { digest, size } = change.before
    // Many files are empty, which says nothing about their origin.
    if (digest === undefined || size === 0) continue
    byDigest.set(digest, [...(byDigest.get(digest) ?? []), change])
  }
  const counts = new Map<string, number>()
  for (const { after } of added)
    if (after.digest !== undefined) counts.set(after.digest, (counts.get(after.digest) ?? 0) + 1)
  const moved = new Set<Change>()
  const found = added.map((change): Change => {
    const { digest } = change.after
    if (digest === undefined || counts.get(digest) !== 1) return change
    const [origin, ...others] = byDigest.get(digest) ?? []
    if (origin === undefined || others.length > 0 || origin.before.kind !== change.after.kind) return change
    moved.add(origin)
    return { kind: "renamed", path: change.path, from: origin.path, before: origin.before, after: change.after }
  })
  return [...found, ...removed.filter((change) => !moved.has(change))]
}
