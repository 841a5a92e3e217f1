/** The workspaces of the tasks that one process records. Tasks in the same directory see each other's calls. */

import * as OtherRecorders from "./OtherRecorders.ts"
import { Snapshots } from "./Snapshots.ts"
import type { RunningCall } from "./Suspects.ts"
import { ContentStore } from "./store/ContentStore.ts"
import { fileOf } from "./store/StoreFile.ts"

/** A directory whose files one or more tasks record. */
export interface Shared {
  readonly root: string
  readonly store: ContentStore
  readonly snapshots: Snapshots
  /** Calls in progress of all tasks, by command id. */
  readonly open: Map<string, RunningCall>
  /** Calls that begin, and are not yet in `open`. */
  readonly arriving: Set<RunningCall>
  /** They hear of each call that begins. */
  readonly listeners: Set<Listener>
  /** Recorders in other processes. */
  readonly others: OtherRecorders.OtherRecorders
}

type Listener = (call: RunningCall) => void

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
      const calls = { open: new Map(), arriving: new Set<RunningCall>(), listeners: new Set<Listener>() }
      const shared: Shared = { root, store, snapshots, ...calls, others: OtherRecorders.of(root) }
      known.set(root, shared)
      return shared
    },
    close: () => {
      for (const { others } of known.values()) others.close()
      known.clear()
      store?.close()
      store = undefined
    },
  }
}
