import { Context, Data, type Effect } from "effect"
import * as Options from "../../values/Options.ts"
import type { AppendError } from "../log/EventLog.ts"
import type { Event } from "../vocabulary/Event.ts"

/** Events that were moved out of a log's file into one of their own. */
export interface Segment {
  /** Its first and last position. */
  readonly first: number
  readonly last: number
  /** The file, in `<log>.segments`. */
  readonly file: string
  /** Its size in bytes; null where the file is not there. */
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

/** What to archive, and in whose name. */
export interface ArchiveOptions {
  /** The last position to move; the first is the one after the last segment. The log's last event always stays. */
  readonly until: number
  readonly actor: string
  /** Called after each page with the events that were moved so far, and those that are to be moved. */
  readonly onProgress?: (moved: number, of: number) => Effect.Effect<void>
}

/** Their schema. Up to where a log can be archived is said by `NotArchived`. */
export const ArchiveOptions = Options.of<ArchiveOptions>({
  required: { until: Options.wholeNumber(0), actor: Options.Name },
  optional: { onProgress: Options.callable<NonNullable<ArchiveOptions["onProgress"]>>() },
})

/** What archiving did. */
export interface Archived {
  readonly segment: Segment
  /** The event that records it. */
  readonly event: Event
  /** Whether the log's file gave back the space; if not, another program was using it, and later events will use the space. */
  readonly shrunk: boolean
}

/**
 * Moves the oldest events of a log into compressed files beside it. Reading goes on as if nothing had happened: through the
 * segments, whose events are in the same chain. Where a segment is missing, reading what was in it fails
 * (`SegmentUnavailable`), and everything else works.
 */
export class Archive extends Context.Tag("hindcast/Archive")<
  Archive,
  {
    readonly segments: Effect.Effect<ReadonlyArray<Segment>, AppendError>
    /**
     * Verifies the chain over the events, writes the segment, reads it back, and only then takes the events out of the
     * log's file. Whatever fails or dies on the way, every event is in one of the two.
     */
    readonly archive: (
      options: ArchiveOptions,
    ) => Effect.Effect<Archived, Options.InvalidOptions | NotArchived | AppendError>
  }
>() {}
