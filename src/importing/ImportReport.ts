/** The result of an import: files, runs, records kept unmapped, and records left out. */

import type { Event } from "../events/vocabulary/Event.ts"

export interface RunReport {
  /** Its tasks: more than one if the log had closed the first before the run continued. */
  readonly taskIds: ReadonlyArray<string>
  readonly goal: string
  readonly ended: boolean
  readonly added: number
  readonly commits: number
  /** Present if hooks record the run now, so that nothing was added to it. */
  readonly waits?: true
  /** Present if hooks recorded the run and closed its task, whether or not its file has ended. */
  readonly closed?: true
}

export interface FileReport {
  readonly file: string
  /** All files of a run that spans several, by time; otherwise empty. */
  readonly parts: ReadonlyArray<string>
  readonly source: string
  readonly digest: string
  readonly bytes: number
  readonly records: number
  /** Whether the log already had everything. */
  readonly known: boolean
  /** Whether a later import may find more even if the file does not change. */
  readonly waits: boolean
  /** The first 10,000. */
  readonly runs: ReadonlyArray<RunReport>
  /** Numbers of all runs: in total, with new events, and still open. */
  readonly counts: { readonly runs: number; readonly changed: number; readonly open: number }
  /** New events, including score sets and the import's own event. */
  readonly added: number
  /** Number of score sets by the source's scorers. */
  readonly scorers: ReadonlyArray<string>
  readonly kept: Readonly<Record<string, number>>
  readonly leftOut: Readonly<Record<string, number>>
  readonly remarks: Readonly<Record<string, number>>
}

/** A file that was not fully imported. */
export interface RefusedFile {
  readonly file: string
  readonly reason: string
  /** New events from lines written before the file turned out to be rewritten; 0 for all other reasons. */
  readonly added: number
}

/** The beginning of the first run of a dry run. */
export interface RunPreview {
  readonly taskId: string
  readonly goal: string
  /** Its first events, without ids and positions. */
  readonly events: ReadonlyArray<{
    readonly type: string
    /** Epoch milliseconds by the source's clock; null if it has none. */
    readonly at: number | null
    readonly payload: Event["payload"]
  }>
  /** Total number of its events. */
  readonly of: number
}

export interface ImportReport {
  readonly dryRun: boolean
  readonly files: ReadonlyArray<FileReport>
  readonly refused: ReadonlyArray<RefusedFile>
  /** Files in directories without a known format. */
  readonly unknown: ReadonlyArray<string>
  /** What each of them is instead. */
  readonly unknownBecause: Readonly<Record<string, string>>
  /** Symbolic links in directories that may lead to runs. Name a link to import it. */
  readonly links: ReadonlyArray<string>
  /** Number of skipped files in directories, by file ending. */
  readonly others: Readonly<Record<string, number>>
  readonly added: number
  /** For a dry run that would add something. */
  readonly preview?: RunPreview
}
