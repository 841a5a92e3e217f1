/** The distinct states of a workspace's files, in order. Pure. */

import * as FileVersions from "../history/FileVersions.ts"
import type { Look } from "../history/Looks.ts"
import * as Document from "../model/Document.ts"
import * as Entry from "../model/Entry.ts"
import { digestOf } from "../store/ContentStore.ts"
import * as Trees from "../store/Trees.ts"

/** The files after a look that found changes. */
export interface State {
  readonly look: Look
  /** The number of looks up to it. */
  readonly seen: number
}

/** Leaves out looks that found no change. */
export const of = (looks: ReadonlyArray<Look>, treeOf: FileVersions.TreeOf): ReadonlyArray<State> => {
  const states: Array<State> = []
  const trees = new Map<string, Map<string, Entry.Entry> | undefined>()
  let last: Entry.Tree | undefined
  for (const [index, look] of looks.entries()) {
    const { taskId, base, files } = look
    const before = trees.get(taskId)
    let isSame: boolean
    if (base === undefined && before !== undefined && before === last) {
      isSame = files.every(({ path, state }) => isSameEntry(before.get(path), state.entry))
      Document.apply(before, files)
    } else {
      const found = base === undefined ? before : treeOf(base)
      const tree = found && (base === undefined ? before : new Map(found))
      if (tree !== undefined) Document.apply(tree, files)
      isSame = index > 0 && tree !== undefined && last !== undefined && areSame(last, tree)
      trees.set(taskId, tree)
    }
    last = trees.get(taskId)
    if (!isSame) states.push({ look, seen: index + 1 })
  }
  return states
}

const isSameEntry = (one: Entry.Entry | undefined, other: Entry.Entry | undefined): boolean =>
  one === undefined || other === undefined ? one === other : Entry.isSame(one, other)

const areSame = (one: Entry.Tree, other: Entry.Tree): boolean =>
  one.size === other.size && [...one].every(([path, entry]) => isSameEntry(entry, other.get(path)))

/** The files in a state; undefined if the store lacks those at its task's start. `looks` as for `of`. */
export const treeIn = (
  { seen }: State,
  looks: ReadonlyArray<Look>,
  bases: FileVersions.TreeOf,
): Entry.Tree | undefined => FileVersions.treeAfter(looks.slice(0, seen), bases)

export const digest = (tree: Entry.Tree): string => Trees.write(tree, (text) => digestOf(Buffer.from(text)))
