/** Archiving: moves a log's oldest events into compressed files beside it (segments). */

import { Context, Data, type Effect } from "effect"
import * as Options from "../../values/Options.ts"
import type { AppendError } from "../log/EventLog.ts"
import type { Event } from "../vocabulary/Event.ts"

/** A range of events that was moved out of a log's file into a file of its own. */
export interface Segment {
  /** Its first and last position. */
  readonly first: number
  readonly last: number
  /** The file, in `<log>.segments`. */
  readonly file: string
  /** Its size in bytes; null if the file is missing. */
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
  /** The last position to move; the first is the one after the last segment. The log's last event always stays. */
  readonly until: number
  readonly actor: string
  /** Called after each page with the number of events moved so far, and the number to move. */
  readonly onProgress?: (moved: number, of: number) => Effect.Effect<void>
}

/** Schema of `ArchiveOptions`. Whether the log can be archived up to `until` is checked later (`NotArchived`). */
export const ArchiveOptions = Options.of<ArchiveOptions>({
  required: { until: Options.wholeNumber(0), actor: Options.Name },
  optional: { onProgress: Options.callable<NonNullable<ArchiveOptions["onProgress"]>>() },
})

/** The result of archiving. */
export interface Archived {
  readonly segment: Segment
  /** The event that records the archiving. */
  readonly event: Event
  /** Whether the log's file shrank. If not, another program was using it, and later events reuse the space. */
  readonly shrunk: boolean
}

/**
 * Moves the oldest events of a log into compressed files beside it. Reads include archived events, which stay in the
 * same chain. If a segment is missing, reads of its events fail (`SegmentUnavailable`), and everything else works.
 */
export class Archive extends Context.Tag("hindcast/Archive")<Archive, Archive.Service>() {}

/** The type of the service: `Archive.Service`. */
export declare namespace Archive {
  /** The archive of a log. */
  export interface Service {
    readonly segments: Effect.Effect<ReadonlyArray<Segment>, AppendError>
    /**
     * Verifies the chain over the events, writes the segment, reads it back, and only then removes the events from the
     * log's file. Wherever it fails or the process dies, every event is in one of the two.
     */
    readonly archive: (
      options: ArchiveOptions,
    ) => Effect.Effect<Archived, Options.InvalidOptions | NotArchived | AppendError>
  }
}

/** `Archive.Service`, under a shorter name where this module is imported as a namespace. */
export type Service = Archive.Service
