/** The snapshot cache of a log in memory. */

import { type Context, Effect, Option } from "effect"
import { outlived, type Series, type Snapshot, Snapshots } from "../log/Snapshots.ts"
import type { Keys } from "../payload/PersonalDataKeys.ts"

/** The snapshots and parts of one series. */
interface Kept {
  readonly key: string
  readonly projection: string
  readonly snapshots: Map<number, Snapshot>
  readonly parts: Map<string, Uint8Array>
}

/** Makes an empty cache. */
export const make = (reading: string, keys: Keys): Context.Tag.Service<Snapshots> => {
  // In the order in which each series was last stored.
  const kept = new Map<string, Kept>()
  const epoch = () => keys.ofSnapshots()?.id ?? ""
  const keyOf = ({ fingerprint, timeline, epoch }: Series) => `${epoch}\0${timeline}\0${fingerprint}`
  const of = (series: Series): Kept => {
    const key = keyOf(series)
    return kept.get(key) ?? { key, projection: series.projection, snapshots: new Map(), parts: new Map() }
  }
  return Snapshots.of({
    reading,
    epoch: Effect.sync(epoch),
    nearest: (series, at) =>
      Effect.sync(() => {
        const { snapshots } = of(series)
        const positions = [...snapshots.keys()].filter((position) => position <= at)
        const found = snapshots.get(Math.max(...positions))
        // No other program can write here.
        return found === undefined ? Option.none() : Option.some({ ...found, authentic: true })
      }),
    parts: (series, digests) =>
      Effect.sync(() => {
        const { parts } = of(series)
        const found = new Map<string, Uint8Array>()
        for (const digest of digests) {
          const part = parts.get(digest)
          if (part !== undefined) found.set(digest, part)
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
        const own = of(series)
        for (const [digest, part] of parts) own.parts.set(digest, part)
        own.snapshots.set(snapshot.position, snapshot)
        kept.delete(own.key)
        kept.set(own.key, own)
        for (const { key } of outlived([...kept.values()].reverse())) kept.delete(key)
      }),
    forget: (series, position) => Effect.sync(() => void of(series).snapshots.delete(position)),
    drop: Effect.sync(() => kept.clear()),
  })
}
