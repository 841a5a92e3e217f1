/** A log that receives another one's stored events and keys. */

import type { Effect } from "effect"
import type { DiskFull, LogError } from "../log/EventLog.ts"
import type { StoredEvent } from "../read/Records.ts"
import type { Head } from "../vocabulary/Event.ts"

/** A key of personal data as stored. */
export interface StoredKey {
  readonly id: string
  readonly subject: string
  /** Null if it was destroyed, but the event that records this is missing. */
  readonly secret: Uint8Array | null
  /** Epoch milliseconds. */
  readonly madeAt: number
  /** The event that records its destruction. */
  readonly shreddedBy: string | null
}

export interface CopySink {
  /** The last event that it has. */
  readonly head: Effect.Effect<Head, LogError>
  /** Writes a page directly after a head, all or none. Fails if another program has appended meanwhile. */
  readonly write: (after: Head, page: ReadonlyArray<StoredEvent>) => Effect.Effect<void, LogError | DiskFull>
  /** Destroys keys by id, of which an earlier copy may have brought some. */
  readonly destroyKeys: (ids: ReadonlyArray<string>) => Effect.Effect<void, LogError | DiskFull>
  /** Adds keys of subjects. Those that it has stay, but a destroyed key replaces the key of the same id. */
  readonly addKeys: (keys: ReadonlyArray<StoredKey>) => Effect.Effect<void, LogError | DiskFull>
}
