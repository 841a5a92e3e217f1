/** Finds the files that a task's earlier events record. */

import type { Event } from "../events/vocabulary/Event.ts"
import { is } from "../events/vocabulary/Vocabulary.ts"
import type { Json } from "../values/Json.ts"
import * as Document from "./model/Document.ts"
import type { Entry, Tree } from "./model/Entry.ts"
import type { ContentStore } from "./store/ContentStore.ts"

interface Stored {
  readonly store: Pick<ContentStore, "tree">
}

/** Whether a task's events record files. */
export const isRecordedIn = (past: ReadonlyArray<Event>): boolean =>
  past.some((event) => is(event, "EnvironmentReset") && startOf(event) !== undefined)

/**
 * The files after a task's earlier events; undefined if the events record none of this directory, or if the store lacks
 * them.
 */
export const lastTree = (
  past: ReadonlyArray<Event>,
  { store, root }: Stored & { readonly root: string },
): Tree | undefined => {
  return rootOf(past) === root ? treeAfter(past, store) : undefined
}

/** Like `lastTree`, for any directory. */
export const treeAfter = (past: ReadonlyArray<Event>, store: Stored["store"]): Tree | undefined => {
  let tree: Map<string, Entry> | undefined
  for (const event of past) {
    if (is(event, "EnvironmentReset") && event.payload.plugin === Document.PLUGIN) {
      const start = Document.start(event.payload.state)
      const base = start && store.tree(start.base)
      tree = base && new Map(base)
    } else if (is(event, "EnvironmentChanged") && event.payload.plugin === Document.PLUGIN && tree !== undefined)
      Document.apply(tree, Document.read(event.payload.patch))
  }
  return tree
}

/** The directory whose files a task's events record last. */
export const rootOf = (past: ReadonlyArray<Event>): string | undefined => {
  const start = past.findLast((event) => is(event, "EnvironmentReset") && startOf(event) !== undefined)
  return start !== undefined && is(start, "EnvironmentReset") ? startOf(start)?.root : undefined
}

const startOf = ({ payload }: { readonly payload: { readonly plugin: string; readonly state: Json } }) =>
  payload.plugin === Document.PLUGIN ? Document.start(payload.state) : undefined
