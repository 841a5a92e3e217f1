/** Reads the present files of a directory without writing anything, to show them. */

import * as crypto from "node:crypto"
import { type Snapshot, type SnapshotStore, Snapshots, type SnapshotsOptions } from "./Snapshots.ts"
import type { ContentStore } from "./store/ContentStore.ts"

/** Like `Snapshots.take`, without contents. Throws the same errors. */
export const look = ({
  store,
  ...options
}: Omit<SnapshotsOptions, "store"> & { readonly store: ContentStore }): Snapshot =>
  new Snapshots({ ...options, store: unchanged(store) }).take()

const unchanged = (store: ContentStore): SnapshotStore => ({
  transaction: (work) => work(),
  put: () => {},
  putTree: () => "",
  remember: () => {},
  has: (digest) => store.has(digest),
  isPurged: (digest) => store.isPurged(digest),
  purges: () => store.purges(),
  remembered: (root) => store.remembered(root),
  secretDigest: (content) => {
    try {
      return store.secretDigest(content)
    } catch {
      // Without a key, the store has seen no secret, so this one is new.
      return crypto.randomBytes(32).toString("hex")
    }
  },
})
