/** The interface of an import format. */

import type { Framing } from "./protobuf/Frames.ts"
import type { FormatCapture } from "./runs/FormatCapture.ts"
import type { MappedRuns } from "./runs/Runs.ts"
import type { Owner } from "./writing/Owner.ts"

/** The beginning of a file, by which formats recognize it. */
export interface FileHead {
  /** File name without directory. */
  readonly name: string
  /** With `/` separators. */
  readonly path: string
  /** Its first 64 KiB as text. */
  readonly text: string
  /** Its first complete JSON lines, up to ten; empty for other files. */
  readonly lines: ReadonlyArray<unknown>
  /** Whether it is a ZIP archive. */
  readonly zipped: boolean
  readonly bytes: Buffer
}

export interface SourceRecord {
  readonly value: unknown
  /** Place for messages: a line number, or the name of a part. */
  readonly where: string
}

/** A run, as the beginning of its file describes it. */
export interface FileBeginning {
  /** The run's id. Files with equal ids are imported as one, by time. */
  readonly run: string
  /** Start in epoch milliseconds. Runs are imported by time. */
  readonly at: number | null
  /** Order among runs with equal start; lower first. */
  readonly rank?: number
  /** The source's id of the first message, which copies of the run share. */
  readonly first?: string
  /** Whether the lines are not in the order of writing, as after `tac` or `sort`. */
  readonly isOutOfOrder?: true
}

/** An imported run that begins with the same message; one is a copy of the other. */
export interface Relative {
  readonly taskId: string
  /** Whether the log has an event of that run with this key. */
  readonly has: (key: string) => boolean
}

/** A task of which a mapper has to know who opened it. */
export interface Asked {
  readonly taskId: string
  /** The name under which the mapped events would be written. */
  readonly account: string
}

/** A file being read. */
export interface SourceFile {
  readonly name: string
  readonly path: string
  /** SHA-256 of its content, in hexadecimal. */
  readonly digest: string
  /** Time of the import, in epoch milliseconds. */
  readonly now: number
  /** Last modification, in epoch milliseconds. */
  readonly modifiedAt: number
  /** Whether one of its parts has its lines out of order. */
  readonly isOutOfOrder: boolean
  /** Who opened a task that the mapper asked for; undefined if a program's own task, which takes no imports. */
  readonly ownerOf: (taskId: string) => Owner | undefined
  /** Imported runs that begin with the same message, oldest first. */
  readonly relatives: ReadonlyArray<Relative>
  /** The text of a file that matches the source's `blobs`; undefined if missing or too large. */
  readonly blob: (name: string) => string | undefined
  /** The text of one of the source's `companions`; undefined if missing. */
  readonly beside: (name: string) => string | undefined
}

/** A mapper gives up, because something in the file is missing or does not end. Nothing more of the file is written. */
export class Unmappable extends Error {
  readonly expected: string

  constructor(expected: string, found: string) {
    super(found)
    this.expected = expected
  }
}

/** Maps the records of one file to runs. Pure apart from `runs`. */
export interface Mapper {
  /**
   * Sees each record of a file of lines or messages before the first `record` call, for formats that otherwise would have to hold
   * all runs in memory until the end. Not called for other files.
   */
  readonly survey?: (record: SourceRecord) => void
  /** Tasks that the log is asked for, after a survey and before the end. */
  readonly asks?: () => Iterable<Asked>
  /** Maps the next record, in file order. */
  readonly record: (record: SourceRecord) => void
  /**
   * Called at the end of the file. A mapper with much left to map yields between steps; each step is written before the
   * next.
   */
  readonly end: () => Iterable<void> | void
}

/** An import format. */
export interface Source {
  /** Its name in `import:<name>` and `--from`. */
  readonly name: string
  /** Its name in messages. */
  readonly title: string
  /**
   * A record is a line, the whole document, its text, or, for `either`, a line if the first line is JSON. In an archive,
   * each part is a record.
   */
  readonly form: "lines" | "document" | "text" | "either" | "dataset"
  /** The parts of a run that the format shows, and those that it cannot show. */
  readonly capture: FormatCapture
  readonly recognizes: (head: FileHead) => boolean
  /** For a format that also comes in protobuf: recognizes the messages of a file by its first bytes. */
  readonly messages?: (head: Buffer) => Framing | undefined
  /** Whether files of other formats may look the same; those then take precedence. */
  readonly isGeneral?: true
  /** For a format that the caller named: the format of a file that only another one recognizes. */
  readonly instead?: (head: FileHead) => string | undefined
  /** For formats whose runs may span files or be copies of each other: the run of a file. */
  readonly beginning?: (head: FileHead) => FileBeginning | undefined
  /** For archives: the names of the parts to map, in order. */
  readonly partsInOrder?: (names: ReadonlyArray<string>) => ReadonlyArray<string>
  /**
   * Names of files of which each is one record of a run; all such files of a directory form the run, ordered by name.
   */
  readonly piece?: RegExp
  /** Relative paths of small files that `beside` can return. */
  readonly companions?: ReadonlyArray<string>
  /** Relative paths of content-named files that records refer to, and that `blob` can return. */
  readonly blobs?: RegExp
  /** For the form `dataset`: the files that the recognized one describes, and their records. */
  readonly dataset?: (file: string, head: unknown) => DataFiles
  /** For the form `dataset`: the endings of files with data, such as `.hdf5`. */
  readonly dataEndings?: ReadonlyArray<string>
  readonly open: (file: SourceFile, runs: MappedRuns) => Mapper
}

/** A data set: a document that describes it, with files in its directory, which hold the records. */
export interface DataFiles {
  /** The files with the data. All that lies in the document's directory belongs to the data set. */
  readonly files: ReadonlyArray<string>
  /** The records. Rejects with an error whose message says what was found instead. */
  readonly records: () => AsyncIterable<SourceRecord>
}
