/** The places of a projection's states: its own snapshots, or those of a combined projection that contains it. */

import { MAIN } from "../../events/log/EventLog.ts"
import type { Series } from "../../events/log/Snapshots.ts"
import * as Fingerprint from "./Fingerprint.ts"

/** A combined projection (`Projection.combine`) whose snapshots serve folds of its parts. */
export interface Combined extends Fingerprint.Described {
  readonly parts?: Readonly<Record<string, object>>
}

/** A series of snapshots, and the field of their states if the projection is combined. */
export interface SnapshotSource {
  readonly seriesIn: (epoch: string) => Series
  readonly field?: string
}

/** The projection's own snapshots. */
export const own = (projection: Combined, upcastVersions: string): SnapshotSource => {
  const fingerprint = Fingerprint.of(projection, upcastVersions)
  // In a combined projection's name, each part ends with its version, which changes.
  const name = projection.parts === undefined ? projection.name : projection.name.replaceAll(/@\d+(?=\+|$)/g, "")
  return { seriesIn: (epoch) => ({ projection: name, fingerprint, timeline: MAIN, epoch }) }
}

/** The snapshots of the combined projections that contain this one. */
export const sharing = (
  combined: ReadonlyArray<Combined>,
  part: object,
  upcastVersions: string,
): ReadonlyArray<SnapshotSource> =>
  combined.flatMap((whole) =>
    Object.entries(whole.parts ?? {})
      .filter(([, known]) => known === part)
      .map(([field]) => ({ ...own(whole, upcastVersions), field })),
  )
