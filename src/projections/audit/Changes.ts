/** The changes section of a task's audit: how much of its environments' documents the task changed. */

import { Schema } from "effect"
import { evolveBy } from "../../events/vocabulary/Vocabulary.ts"
import { pointerKeys } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { Projection } from "../fold/Projection.ts"

/** The patches of a task's environments. */
export const Changes = Schema.Struct({
  operations: Schema.NonNegativeInt.annotations({ description: "Operations in all patches of its environments" }),
  paths: Schema.NonNegativeInt.annotations({ description: "Distinct paths (plugin and JSON Pointer) they wrote to" }),
}).annotations({ identifier: "Changes" })

type Changes = typeof Changes.Type

/**
 * Paths as a tree of their keys, so that adding a path copies the nodes on it and their siblings rather than all paths.
 */
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
    EnvironmentChanged: (state, { plugin, patch }) =>
      patch.reduce((before, { path }) => {
        const tree = write(before.tree, [plugin, ...pointerKeys(path)])
        return {
          operations: before.operations + 1,
          paths: before.paths + (tree === before.tree ? 0 : 1),
          tree,
        }
      }, state),
  }),
}

/** The tree with this path marked as written; the identical tree if it was already. */
const write = (tree: Tree, [key, ...rest]: ReadonlyArray<string>): Tree => {
  if (key === undefined) return tree.written ? tree : { ...tree, written: true }
  const below = SafeRecord.set(tree.below, key, write(SafeRecord.get(tree.below, key) ?? emptyTree, rest))
  return below === tree.below ? tree : { ...tree, below }
}

/** The section of the audit, from the folded state. */
export const section = ({ operations, paths }: State): Changes => ({ operations, paths })
