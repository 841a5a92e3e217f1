/** The formats that runs are imported from: what each has to provide. */

import type { FormatCapture } from "./runs/FormatCapture.ts"
import type { Runs } from "./runs/Runs.ts"

/** The beginning of a file, by which its format is recognized. */
export interface FileHead {
  /** Its name, without its directory. */
  readonly name: string
  /** Its path, with `/`. */
  readonly path: string
  /** Its first 64 KiB as text. */
  readonly text: string
  /** Its first whole lines that are JSON, at most ten of them. Empty if it has no such lines. */
  readonly lines: ReadonlyArray<unknown>
  /** Whether it is a ZIP archive. */
  readonly zipped: boolean
}

/** A record of a file. */
export interface SourceRecord {
  /** The parsed JSON. */
  readonly value: unknown
  /** Where it is, for messages: a number of a line, or the name of a part. */
  readonly where: string
}

/** What the beginning of a file tells of the run that it is of. */
export interface FileBeginning {
  /** Which run: files of one are imported as one, in the order of time. */
  readonly run: string
  /** When it begins, in milliseconds since 1970. Runs are imported in the order of time. */
  readonly at: number | null
  /** Of runs that begin at the same time: the lower comes first. */
  readonly rank?: number
  /** The source's id of the first message, which a copy of the run in another file has too. */
  readonly first?: string
  /** Whether its lines do not stand in the order in which they were written, as after `tac` or `sort`. */
  readonly isOutOfOrder?: true
}

/** A run that begins with the same message as one that is imported: one of them was copied from the other. */
export interface Relative {
  readonly taskId: string
  /** Whether the log has an event of that run, by its key. */
  readonly has: (key: string) => boolean
}

/** What is known of a file that is read. */
export interface SourceFile {
  readonly name: string
  readonly path: string
  /** SHA-256 of its content, in hexadecimal. */
  readonly digest: string
  /** The import's clock, in milliseconds since 1970. */
  readonly now: number
  /** When the file was last written, in milliseconds since 1970. */
  readonly modifiedAt: number
  /** Whether the lines of one of its parts do not stand in the order in which they were written. */
  readonly isOutOfOrder: boolean
  /** Runs that were imported before and begin with the same message, the oldest first. */
  readonly relatives: ReadonlyArray<Relative>
  /** The text of a file whose name fits the source's `blobs`; undefined if there is none, or it is too large. */
  readonly blob: (name: string) => string | undefined
  /** The text of one of the source's `companions`; undefined if there is none. */
  readonly beside: (name: string) => string | undefined
}

/** A mapper gives up: what it was told to read is not there, or does not end. Nothing more of the file is written. */
export class Unmappable extends Error {
  readonly expected: string

  constructor(expected: string, found: string) {
    super(found)
    this.expected = expected
  }
}

/** Maps the records of one file to runs. Pure: it knows no log, and does nothing but write to `runs`. */
export interface Mapper {
  /**
   * Takes each record of a file of lines before the first one is mapped: for a format whose runs cannot be told to be whole
   * otherwise, so that all of them would have to be in memory until the end. Of other files nothing is surveyed.
   */
  readonly survey?: (record: SourceRecord) => void
  /** Takes the next record, in the order of the file. */
  readonly record: (record: SourceRecord) => void
  /**
   * Says that the file is at its end, for now. A mapper that has much left to map does so in steps, and what each step
   * maps is written before the next.
   */
  readonly end: () => Iterable<void> | void
}

/** A format. */
export interface Source {
  /** Its name, as in `import:<name>` and `--from`. */
  readonly name: string
  /** What it is called in messages. */
  readonly title: string
  /**
   * How its files are divided in records: a line each, or one for the whole file. `either`: a file whose first line is
   * JSON has lines. Of an archive a record is each part.
   */
  readonly form: "lines" | "document" | "either"
  /** What it shows of a run, and what it cannot show. */
  readonly capture: FormatCapture
  readonly recognizes: (head: FileHead) => boolean
  /** Whether files of other formats may look like it: it is a file's only if no other format recognizes the file. */
  readonly isGeneral?: true
  /** Of a format that somebody named: what a file is that it does not recognize and another one does. */
  readonly instead?: (head: FileHead) => string | undefined
  /** Of a format whose runs may be in several files, or copied from each other: which run a file is of. */
  readonly beginning?: (head: FileHead) => FileBeginning | undefined
  /** Of an archive: the names of the parts that are records, in the order in which they are mapped. */
  readonly partsInOrder?: (names: ReadonlyArray<string>) => ReadonlyArray<string>
  /**
   * The name of a file that is one record of a run whose other records are the files beside it with such names. They are
   * mapped in the order of their names.
   */
  readonly piece?: RegExp
  /** Paths of the small files, relative to a file's directory, that `beside` may be asked for. */
  readonly companions?: ReadonlyArray<string>
  /** Paths, relative to a file's directory, of files that records name by what is in them, and that `blob` may be asked for. */
  readonly blobs?: RegExp
  readonly open: (file: SourceFile, runs: Runs) => Mapper
}
