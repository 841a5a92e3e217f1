/** Tracks which event last changed the value at each of many paths. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { type Json, pointerKeys } from "../../values/Json.ts"
import * as JsonPatch from "../patch/JsonPatch.ts"
import { member } from "../patch/JsonPointer.ts"

/**
 * Watches paths of a document through a series of states. Appearing and disappearing are changes; writing an equal
 * value is not. Subtrees that two states share are skipped, so the cost of an event depends on its changes and not
 * on the number of paths.
 */
export interface PathWatch {
  /** Compares the document before and after one event. */
  readonly observe: (before: Json, after: Json, event: Event) => void
  /** Returns the last observed event that changed the value at a watched path. */
  readonly lastChange: (path: string) => Event | undefined
}

export const make = (paths: Iterable<string>): PathWatch => {
  const root = node()
  const watched = new Map<string, Node>()
  for (const path of paths) watched.set(path, reach(root, pointerKeys(path)))
  for (const each of watched.values()) each.watched = true
  return {
    observe: (before, after, event) => compare(root, before, after, event),
    lastChange: (path) => watched.get(path)?.last,
  }
}

/** The watched paths as a tree of their keys. */
interface Node {
  watched: boolean
  last: Event | undefined
  readonly below: Map<string, Node>
}

const node = (): Node => ({ watched: false, last: undefined, below: new Map() })

const reach = (root: Node, keys: ReadonlyArray<string>): Node => {
  let reached = root
  for (const key of keys) {
    const next = reached.below.get(key) ?? node()
    reached.below.set(key, next)
    reached = next
  }
  return reached
}

const compare = (at: Node, before: Json | undefined, after: Json | undefined, event: Event): void => {
  if (before === after) return
  if (at.watched && !JsonPatch.equal(before, after)) at.last = event
  for (const [key, below] of at.below) compare(below, member(before, key), member(after, key), event)
}
