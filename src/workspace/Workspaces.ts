/** The workspaces of the tasks that one process records. Tasks in the same directory know of each other's calls. */

import { Snapshots } from "./Snapshots.ts"
import type { RunningCall } from "./Suspects.ts"
import { ContentStore } from "./store/ContentStore.ts"
import { fileOf } from "./store/StoreFile.ts"

/** A directory whose files one or more tasks record. */
export interface Shared {
  readonly root: string
  readonly store: ContentStore
  readonly snapshots: Snapshots
  /** Calls in progress, by their commands' ids, of any task. */
  readonly open: Map<string, RunningCall>
  /** Told of each call that begins. */
  readonly listeners: Set<(call: RunningCall) => void>
}

export interface Workspaces {
  /** Throws `StoreUnavailable`. */
  readonly at: (root: string) => Shared
  readonly close: () => void
}

export interface WorkspacesOptions {
  readonly log: string
  readonly hasSecret: (text: string) => boolean
  /** As in `Snapshots`. */
  readonly keepsSecrets?: boolean | undefined
}

export const make = ({ log, hasSecret, keepsSecrets }: WorkspacesOptions): Workspaces => {
  const known = new Map<string, Shared>()
  let store: ContentStore | undefined
  return {
    at: (root) => {
      const found = known.get(root)
      if (found !== undefined) return found
      store ??= ContentStore.open(fileOf(log))
      const snapshots = new Snapshots({ root, store, hasSecret, keepsSecrets, own: [log] })
      const shared: Shared = { root, store, snapshots, open: new Map(), listeners: new Set() }
      known.set(root, shared)
      return shared
    },
    close: () => {
      known.clear()
      store?.close()
      store = undefined
    },
  }
}
