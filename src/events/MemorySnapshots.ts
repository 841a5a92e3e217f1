import { type Context, Effect, Option } from "effect"
import type { Keys } from "./Keys.ts"
import { type Series, type Snapshot, Snapshots } from "./Snapshots.ts"

/** Snapshots in plain memory, for a log in plain memory. */
export const make = (reading: string, keys: Keys): Context.Tag.Service<Snapshots> => {
  const snapshots = new Map<string, Map<number, Snapshot>>()
  const stored = new Map<string, Uint8Array>()
  const epoch = () => keys.ofSnapshots()?.id ?? ""
  const of = ({ fingerprint, timeline, epoch }: Series) => {
    const key = `${epoch}\0${timeline}\0${fingerprint}`
    const known = snapshots.get(key) ?? new Map<number, Snapshot>()
    snapshots.set(key, known)
    return known
  }
  return Snapshots.of({
    reading,
    epoch: Effect.sync(epoch),
    nearest: (series, at) =>
      Effect.sync(() => {
        const positions = [...of(series).keys()].filter((position) => position <= at)
        return Option.fromNullable(of(series).get(Math.max(...positions)))
      }),
    parts: (digests) =>
      Effect.sync(() => {
        const found = new Map<string, Uint8Array>()
        for (const digest of digests) {
          const part = stored.get(digest)
          if (part !== undefined) found.set(digest, part)
        }
        return found
      }),
    missing: (digests) => Effect.sync(() => new Set(digests.filter((digest) => !stored.has(digest)))),
    save: (series, snapshot, parts) =>
      Effect.sync(() => {
        if (epoch() !== series.epoch) return
        for (const [digest, part] of parts) stored.set(digest, part)
        of(series).set(snapshot.position, snapshot)
      }),
    forget: (series, position) => Effect.sync(() => void of(series).delete(position)),
    drop: Effect.sync(() => {
      snapshots.clear()
      stored.clear()
    }),
  })
}
