/** What an import did: which files, which runs, what is kept as it was, and what is not in the log. */

import type { Event } from "../events/vocabulary/Event.ts"

/** A run as it was imported. */
export interface RunReport {
  /** The tasks that it is in: more than one if the log had closed the first before the run went on. */
  readonly taskIds: ReadonlyArray<string>
  readonly goal: string
  readonly ended: boolean
  /** Events that were new. */
  readonly added: number
  /** Transactions that they took. */
  readonly commits: number
}

/** A file as it was imported. */
export interface FileReport {
  readonly file: string
  /** All files of a run that is in several, in the order of time; else none. */
  readonly parts: ReadonlyArray<string>
  readonly source: string
  readonly digest: string
  readonly bytes: number
  readonly records: number
  /** Whether the log had all of it already. */
  readonly known: boolean
  /** Whether something of it is left to a later import, though the file may not change until then. */
  readonly waits: boolean
  readonly runs: ReadonlyArray<RunReport>
  /** Events that were new, those of score sets and of the import itself among them. */
  readonly added: number
  /** Score sets that the source's scorers gave. */
  readonly scorers: ReadonlyArray<string>
  readonly kept: Readonly<Record<string, number>>
  readonly leftOut: Readonly<Record<string, number>>
  readonly remarks: Readonly<Record<string, number>>
}

/** A file that was not imported to its end. */
export interface RefusedFile {
  readonly file: string
  readonly reason: string
  /** Events that were new, of whole lines that were written before it was found to be rewritten: 0 for all other reasons. */
  readonly added: number
}

/** The beginning of the first run that would be imported. */
export interface RunPreview {
  readonly taskId: string
  readonly goal: string
  /** Its first events, without ids and positions. */
  readonly events: ReadonlyArray<{
    readonly type: string
    /** By the source's clock, in milliseconds since 1970; null if it has none. */
    readonly at: number | null
    readonly payload: Event["payload"]
  }>
  /** How many events of it there are in all. */
  readonly of: number
}

/** An import. */
export interface ImportReport {
  readonly dryRun: boolean
  readonly files: ReadonlyArray<FileReport>
  readonly refused: ReadonlyArray<RefusedFile>
  /** Files in directories that are of no known format. */
  readonly unknown: ReadonlyArray<string>
  /** What each of them is instead. */
  readonly unknownBecause: Readonly<Record<string, string>>
  /** Symbolic links in directories that may lead to runs. They are imported if they are named. */
  readonly links: ReadonlyArray<string>
  /** How many files in directories were not looked at, since they are not named as runs are, by how their names end. */
  readonly others: Readonly<Record<string, number>>
  /** Events that were new in all. */
  readonly added: number
  /** Of a dry run in which something is new. */
  readonly preview?: RunPreview
}
