/** The changes section of a task's audit: how much of its environments' documents the task changed. */

import { Schema } from "effect"
import { evolveBy } from "../../events/vocabulary/Vocabulary.ts"
import { pointerKeys } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { Projection } from "../fold/Projection.ts"

/** The changes of a task's environments. */
export const Changes = Schema.Struct({
  operations: Schema.NonNegativeInt.annotations({ description: "Operations in all patches of its environments" }),
  paths: Schema.NonNegativeInt.annotations({
    description: "Distinct paths (plugin and JSON Pointer) of these operations",
  }),
}).annotations({ identifier: "Changes" })

type Changes = typeof Changes.Type

/** Paths as a tree of their keys, so that an event copies only the nodes on its paths and their siblings. */
export interface Tree {
  readonly written: boolean
  readonly below: SafeRecord.SafeRecord<Tree>
}

const Tree: Schema.Schema<Tree> = Schema.Struct({
  written: Schema.Boolean,
  below: Schema.Record({ key: Schema.String, value: Schema.suspend(() => Tree) }),
})

const State = Schema.Struct({ operations: Schema.NonNegativeInt, paths: Schema.NonNegativeInt, tree: Tree })
type State = typeof State.Type

const emptyTree: Tree = { written: false, below: {} }

/** Counts of operations and of distinct paths. A reset is not a change. */
export const projection: Projection<State> = {
  name: "TaskAudit.Changes",
  version: 1,
  state: State,
  initial: { operations: 0, paths: 0, tree: emptyTree },
  evolve: evolveBy<State>({
    EnvironmentChanged: (state, { plugin, patch }) => {
      const { tree, added } = write(
        state.tree,
        patch.map(({ path }) => [plugin, ...pointerKeys(path)]),
      )
      return { operations: state.operations + patch.length, paths: state.paths + added, tree }
    },
  }),
}

/**
 * Marks paths as written, and counts the new ones. Copies each record of the tree once and then changes it in place, so
 * the cost depends on the patch, however many keys it adds to one object.
 */
const write = (
  tree: Tree,
  paths: ReadonlyArray<ReadonlyArray<string>>,
): { readonly tree: Tree; readonly added: number } => {
  const own = new Set<SafeRecord.SafeRecord<Tree>>()
  let added = 0
  const below = (node: Tree, path: ReadonlyArray<string>, depth: number): Tree => {
    const key = path[depth]
    if (key === undefined) {
      if (node.written) return node
      added += 1
      return { ...node, written: true }
    }
    const before = SafeRecord.get(node.below, key)
    const after = below(before ?? emptyTree, path, depth + 1)
    // An identical node was already written, or was changed in place.
    if (after === before) return node
    const copied = own.has(node.below)
    const record: SafeRecord.Own<Tree> = copied ? node.below : SafeRecord.copy(node.below)
    SafeRecord.put(record, key, after)
    own.add(record)
    return copied ? node : { ...node, below: record }
  }
  return { tree: paths.reduce((whole, path) => below(whole, path, 0), tree), added }
}

export const section = ({ operations, paths }: State): Changes => ({ operations, paths })
