/** Arguments and options of the questions about recorded files. */
import { Schema } from "effect"
import * as Moment from "../../events/read/Moment.ts"
import * as Options from "../../values/Options.ts"

/** Whose files, and when. */
export interface FilesOptions {
  /** Default: now. */
  readonly at?: Moment.Moment
  /** Only this task's recordings, by its full id. Default: all tasks in the same directory. */
  readonly task?: string
  /**
   * The recorded directory, or one below it. Paths of files are relative to it, or to the recorded one. Default: the
   * process's working directory. If the log contains only one directory, the default is that one, wherever the process
   * runs.
   */
  readonly directory?: string
}

/** Options of `diff`: `at` is one of its moments. */
export interface DiffOptions extends Omit<FilesOptions, "at"> {
  /** Only this file. */
  readonly file?: string
  /** Only line counts. Default: false. */
  readonly stat?: boolean
}

/** Options of `history`. */
export interface HistoryOptions extends FilesOptions {
  /** Maximum number of versions, the last ones. Default: all. */
  readonly limit?: number
}

/** Options of `blame`. */
export interface BlameOptions extends FilesOptions {
  /** Blames this content, such as that of the present file. Default: the recorded one of the moment. */
  readonly content?: string | Uint8Array
  /** The first line. Default: 1. */
  readonly first?: number
  /** The last line. Default: that of the file. */
  readonly last?: number
  /** Adds the agent's readings of the file before. Default: false. */
  readonly read?: boolean
}

/** Options of `why`. */
export interface WhyOptions extends FilesOptions {
  /** Asks about this line. Default: about the whole file. */
  readonly line?: number
}

const from = { task: Options.Text, directory: Options.Path }
const line = Options.wholeNumber(1)

/** Schema of `FilesOptions`. */
export const FilesOptions = Options.of<FilesOptions>({ optional: { at: Moment.Moment, ...from } })
/** Schema of `DiffOptions`. */
export const DiffOptions = Options.of<DiffOptions>({ optional: { ...from, file: Options.Path, stat: Schema.Boolean } })
/** Schema of `HistoryOptions`. */
export const HistoryOptions = Options.of<HistoryOptions>({ optional: { at: Moment.Moment, ...from, limit: line } })
/** Schema of `WhyOptions`. */
export const WhyOptions = Options.of<WhyOptions>({ optional: { at: Moment.Moment, ...from, line } })
/** Schema of `BlameOptions`. */
export const BlameOptions = Options.of<BlameOptions>({
  optional: {
    at: Moment.Moment,
    ...from,
    content: Schema.Union(
      Schema.String,
      Options.kind<Uint8Array>("a text or a Uint8Array", (value) => value instanceof Uint8Array),
    ),
    first: line,
    last: line,
    read: Schema.Boolean,
  },
})
/** Options of `restore`: its moment is an argument. */
export const RestoreOptions = Options.of<Omit<FilesOptions, "at">>({ optional: from })

/** The argument of a question about a file. JavaScript does not check it. */
export const Named = Options.of<{ readonly path: string }>({ required: { path: Options.Path } })
/** The arguments of `diff`. */
export const Between = Options.of<{ readonly a: Moment.Moment; readonly b: Moment.Moment }>({
  required: { a: Moment.Moment, b: Moment.Moment },
})
/** The arguments of `restore`. */
export const Into = Options.of<{ readonly at: Moment.Moment; readonly into: string }>({
  required: { at: Moment.Moment, into: Options.Path },
})
