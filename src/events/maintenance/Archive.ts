/** Moves a log's oldest events into compressed files next to it (segments). */

import { Context, Data, type Effect } from "effect"
import * as Options from "../../values/Options.ts"
import type { AppendError } from "../log/EventLog.ts"
import type { Event } from "../vocabulary/Event.ts"

/** A range of events in a file of its own. */
export interface Segment {
  /** First and last position. */
  readonly first: number
  readonly last: number
  /** In `<log>.segments`. */
  readonly file: string
  /** Null if the file is missing. */
  readonly bytes: number | null
  /** Epoch milliseconds. */
  readonly archivedAt: number
}

/** Fix the call: these events cannot be archived. */
export class NotArchived extends Data.TaggedError("NotArchived")<{
  readonly log: string
  readonly expected: string
  readonly found: string
}> {
  override get message() {
    return `${this.log}: expected ${this.expected}, found ${this.found}. Nothing was archived.`
  }
}

/** Options of `archive`. */
export interface ArchiveOptions {
  /** The last position to move; the first follows the last segment. The log's last event always stays. */
  readonly until: number
  readonly actor: string
  /** Called after each page with the number of moved events, and the number to move. */
  readonly onProgress?: (moved: number, of: number) => Effect.Effect<void>
}

/** Schema of `ArchiveOptions`. `archive` itself checks `until` against the log (`NotArchived`). */
export const ArchiveOptions = Options.of<ArchiveOptions>({
  required: { until: Options.wholeNumber(0), actor: Options.Name },
  optional: { onProgress: Options.callable<NonNullable<ArchiveOptions["onProgress"]>>() },
})

/** The result of archiving. */
export interface Archived {
  readonly segment: Segment
  /** The event that records the archiving. */
  readonly event: Event
  /** False if another program was using the file; later events then reuse the space. */
  readonly shrunk: boolean
}

/**
 * Moves the oldest events into compressed files next to the log. They stay in the chain and in reads. If a segment is
 * missing, only reads of its events fail (`SegmentUnavailable`).
 */
export class Archive extends Context.Tag("hindcast/Archive")<Archive, Archive.Service>() {}

/** The type of the service: `Archive.Service`. */
export declare namespace Archive {
  /** The archive of a log. */
  export interface Service {
    readonly segments: Effect.Effect<ReadonlyArray<Segment>, AppendError>
    /**
     * Verifies the chain over the events, writes the segment, reads it back, and only then removes the events from the
     * log's file. After a failure or a crash at any point, each event is in one of the two.
     */
    readonly archive: (
      options: ArchiveOptions,
    ) => Effect.Effect<Archived, Options.InvalidOptions | NotArchived | AppendError>
  }
}

/** Alias of `Archive.Service` for namespace imports. */
export type Service = Archive.Service
