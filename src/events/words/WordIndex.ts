/** An index of the words of events that a log's store keeps next to the events. */

import type { Effect } from "effect"
import type { DiskFull, LogError } from "../log/LogErrors.ts"

/** An event's words, as `WordIndex` keeps them. */
export interface IndexedWords {
  readonly position: number
  readonly taskId: string | null
  /** Several for a compact event. */
  readonly kinds: ReadonlyArray<string>
  /** Folded words, separated by spaces; null for an event with personal fields, of which the index has the position alone. */
  readonly words: string | null
}

/** Words that have to occur next to one another. */
export interface WordTerm {
  readonly words: ReadonlyArray<string>
  /** Whether the last word may continue. */
  readonly isPrefix: boolean
}

/** The events to look for: all terms occur in each. */
export interface WantedWords {
  readonly query: { readonly terms: ReadonlyArray<WordTerm> }
  readonly taskId?: string | undefined
  readonly kinds?: ReadonlyArray<string> | undefined
}

/** The reach of an index. */
export interface IndexReach {
  /** The last event in the index; 0 if there is none, or if the index has another version. */
  readonly position: number
  /** Its hash; empty at 0. */
  readonly hash: string
  /** Whether this process may extend the index. */
  readonly mayExtend: boolean
}

/**
 * An index of words, which can be built again from the log at any time. It never decides what a search shows: searches
 * read each event that it names. Appends neither write it nor wait for it.
 */
export interface WordIndex {
  readonly reach: Effect.Effect<IndexReach, LogError>
  /**
   * Adds the words of all events after `after`, up to `reached`, in one transaction. Returns false, and adds nothing, if
   * the index ends elsewhere by now. With `after` 0, it replaces an index of an earlier version.
   */
  readonly add: (
    after: number,
    rows: ReadonlyArray<IndexedWords>,
    reached: { readonly position: number; readonly hash: string },
  ) => Effect.Effect<boolean, LogError | DiskFull>
  /** Empties the index if it still ends at `seen`. */
  readonly clear: (seen: number) => Effect.Effect<void, LogError | DiskFull>
  /** Positions of events that may match, before a position, the newest first. Each event that matches is among them. */
  readonly positions: (
    wanted: WantedWords,
    before: number,
    limit: number,
  ) => Effect.Effect<ReadonlyArray<number>, LogError>
  /** Positions of events with personal fields, before a position, the newest first. */
  readonly personal: (before: number, limit: number) => Effect.Effect<ReadonlyArray<number>, LogError>
}
