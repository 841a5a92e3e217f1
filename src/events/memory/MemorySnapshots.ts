/** The snapshot cache of a log in memory. */

import { Effect, Option } from "effect"
import { type Series, type Snapshot, Snapshots, seriesToDelete } from "../log/Snapshots.ts"
import type { Keys } from "../payload/PersonalDataKeys.ts"

interface StoredSeries {
  readonly key: string
  readonly projection: string
  readonly snapshots: Map<number, Snapshot>
  readonly parts: Map<string, Uint8Array>
}

export const make = (upcastVersions: string, keys: Keys): Snapshots.Service => {
  // Ordered by each series' last save.
  const seriesByKey = new Map<string, StoredSeries>()
  const epoch = () => keys.ofSnapshots()?.id ?? ""
  const keyOf = ({ fingerprint, timeline, epoch }: Series) => `${epoch}\0${timeline}\0${fingerprint}`
  const of = (series: Series): StoredSeries => {
    const key = keyOf(series)
    return seriesByKey.get(key) ?? { key, projection: series.projection, snapshots: new Map(), parts: new Map() }
  }
  return Snapshots.of({
    upcastVersions,
    epoch: Effect.sync(epoch),
    nearest: (series, at) =>
      Effect.sync(() => {
        const { snapshots } = of(series)
        const positions = [...snapshots.keys()].filter((position) => position <= at)
        const found = snapshots.get(Math.max(...positions))
        // No other program can write here.
        return found === undefined ? Option.none() : Option.some({ ...copied(found), authentic: true })
      }),
    parts: (series, digests) =>
      Effect.sync(() => {
        const { parts } = of(series)
        const found = new Map<string, Uint8Array>()
        for (const digest of digests) {
          const part = parts.get(digest)
          if (part !== undefined) found.set(digest, part.slice())
        }
        return found
      }),
    missing: (series, digests) =>
      Effect.sync(() => {
        const { parts } = of(series)
        return new Set(digests.filter((digest) => !parts.has(digest)))
      }),
    save: (series, snapshot, parts) =>
      Effect.sync(() => {
        if (epoch() !== series.epoch) return
        const stored = of(series)
        for (const [digest, part] of parts) stored.parts.set(digest, part.slice())
        stored.snapshots.set(snapshot.position, copied(snapshot))
        seriesByKey.delete(stored.key)
        seriesByKey.set(stored.key, stored)
        for (const { key } of seriesToDelete([...seriesByKey.values()].reverse())) seriesByKey.delete(key)
      }),
    forget: (series, position, damaged) =>
      Effect.sync(() => {
        const { snapshots, parts } = of(series)
        snapshots.delete(position)
        for (const digest of damaged) parts.delete(digest)
      }),
    drop: Effect.sync(() => seriesByKey.clear()),
  })
}

/** Copies bytes, so that callers cannot change the cache. */
const copied = (snapshot: Snapshot): Snapshot => ({ ...snapshot, root: snapshot.root.slice() })
