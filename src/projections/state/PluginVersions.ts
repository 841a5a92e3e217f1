/** The version history of a plugin, from the events of its stream. */

import type { Event } from "../../events/vocabulary/Event.ts"
import type { Origin } from "../../events/vocabulary/Plugins.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"

/** One version of a plugin in a log's history. Versions can share a name such as `1.0.0`; digests distinguish them. */
export interface PluginVersion {
  readonly version: string
  readonly digest: string
  readonly source: string
  /** Null if an old log does not record it. */
  readonly origin: Origin | null
  /** The position of its import; of several imports in a row, the last one. */
  readonly at: number
  /** When it was imported, in epoch milliseconds. */
  readonly recordedAt: number
  /** `installed`: the version in the registry; `held`: an update that waits for its grant; `earlier`: any other. */
  readonly status: "installed" | "held" | "earlier"
}

/** The event types that determine a plugin's versions. */
export const TYPES = ["PluginImported", "PluginUpdateHeld", "PluginRemoved"] as const

/** The versions of one plugin, oldest first. Pure. */
export const versionsOf = (events: ReadonlyArray<Event>): ReadonlyArray<PluginVersion> => {
  const versions: Array<PluginVersion> = []
  for (const event of events) {
    if (is(event, "PluginRemoved")) markEarlier(versions, () => true)
    else if (is(event, "PluginImported")) {
      markEarlier(versions, () => true)
      add(versions, event, event.payload, "installed")
    } else if (is(event, "PluginUpdateHeld")) {
      markEarlier(versions, ({ status }) => status === "held")
      add(versions, event, event.payload, "held")
    }
  }
  return versions
}

const markEarlier = (versions: Array<PluginVersion>, which: (version: PluginVersion) => boolean): void => {
  for (const [index, version] of versions.entries()) {
    if (which(version)) versions[index] = { ...version, status: "earlier" }
  }
}

interface Release {
  readonly version: string
  readonly digest: string
  readonly source: string
  readonly origin?: Origin | null
}

/**
 * Adds a version. Replaces the last one if the digests are equal: a held version was installed, or the same version was
 * imported again.
 */
const add = (
  versions: Array<PluginVersion>,
  { position: at, recordedAt }: Event,
  { version, digest, source, origin = null }: Release,
  status: PluginVersion["status"],
): void => {
  if (versions.at(-1)?.digest === digest) versions.pop()
  versions.push({ version, digest, source, origin, at, recordedAt, status })
}
