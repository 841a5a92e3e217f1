/** Answers questions about the recorded files of a coding agent's directory, from the log and the store next to it. */
import { Context, Effect, Layer } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import type * as Moment from "../../events/read/Moment.ts"
import type { Cause } from "../../projections/timetravel/causes/Causes.ts"
import { TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import { defined } from "../../values/defined.ts"
import * as Options from "../../values/Options.ts"
import * as Origin from "../history/Origin.ts"
import type { DirectoryUnfit } from "../restore/RestoreInto.ts"
import type { StoreUnavailable } from "../store/StoreFile.ts"
import * as ComparedFiles from "./ComparedFiles.ts"
import * as FileContent from "./FileContent.ts"
import * as FilesBetween from "./FilesBetween.ts"
import {
  Between,
  BlameOptions,
  DiffOptions,
  FilesOptions,
  HistoryOptions,
  Into,
  Named,
  RestoreOptions,
  WhyOptions,
} from "./FilesOptions.ts"
import * as ListedFiles from "./ListedFiles.ts"
import * as OriginDocument from "./OriginDocument.ts"
import * as RecordedBlame from "./RecordedBlame.ts"
import * as RecordedContent from "./RecordedContent.ts"
import * as RecordedFiles from "./RecordedFiles.ts"
import * as RecordedVersions from "./RecordedVersions.ts"
import * as RestoredFiles from "./RestoredFiles.ts"

/** How files differ, with each unified diff as text. */
export interface FilesDiff extends Omit<FilesBetween.FilesDiff, "files"> {
  readonly files: ReadonlyArray<ComparedFiles.FileDifference & Unified>
}

/** A unified diff. */
export interface Unified {
  /** Absent if the contents are not comparable, or if the caller asked only for counts. */
  readonly unified?: string
}

/** The change that a file or one of its lines comes from, and its causes. */
export interface FileOrigin {
  readonly root: string
  readonly path: string
  readonly version: OriginDocument.VersionOrigin
  /** The event of the change, its cause, and so on to the root. */
  readonly chain: ReadonlyArray<Cause>
}

/** The errors of questions about recorded files. */
export type FilesError =
  | Options.InvalidOptions
  | RecordedFiles.OpenError
  | RecordedFiles.FileNotRecorded
  | RecordedContent.ContentNotRecorded
  | StoreUnavailable
  | LogError

/**
 * Questions about recorded files. Only reads the log and its store; `restore` writes into a directory that the caller
 * names.
 */
export class Files extends Context.Tag("hindcast/Files")<Files, Files.Service>() {}

/** The type of the service: `Files.Service`. */
export declare namespace Files {
  /** The questions. */
  export interface Service {
    /** Lists the files at a moment. `omitted` says why a content is not recorded. */
    readonly list: (options?: FilesOptions) => Effect.Effect<ListedFiles.FileList, FilesError>
    /** Returns a file at a moment. An unknown content is no error. */
    readonly read: (path: string, options?: FilesOptions) => Effect.Effect<FileContent.RecordedFile, FilesError>
    /** Returns the differences between two moments of one timeline, from `a` to `b` in either order. */
    readonly diff: (
      a: Moment.Moment,
      b: Moment.Moment,
      options?: DiffOptions,
    ) => Effect.Effect<FilesDiff, FilesError | FilesBetween.TwoTimelines>
    /** Returns a file's versions, oldest first, through its renames, each with its call. */
    readonly history: (
      path: string,
      options?: HistoryOptions,
    ) => Effect.Effect<RecordedVersions.FileHistory, FilesError>
    /** Returns a file's lines, each with its call, decision, approval and prompt. */
    readonly blame: (
      path: string,
      options?: BlameOptions,
    ) => Effect.Effect<RecordedBlame.BlamedLines, FilesError | RecordedBlame.LineOutOfRange>
    /** Returns the last change of a file, or the change that a line comes from, and the causes up to the prompt. */
    readonly why: (
      path: string,
      options?: WhyOptions,
    ) => Effect.Effect<FileOrigin, FilesError | RecordedBlame.LineOutOfRange | RecordedBlame.OriginUnknown>
    /**
     * Writes the files of a moment into an empty or new directory: bytes, modes and links. `left` names the files that
     * it did not write, with the reasons.
     */
    readonly restore: (
      at: Moment.Moment,
      into: string,
      options?: Omit<FilesOptions, "at">,
    ) => Effect.Effect<RestoredFiles.RestoredFiles, FilesError | DirectoryUnfit | RestoredFiles.NotWritten>
  }
}

const make = Effect.gen(function* () {
  const log = yield* EventLog
  const travel = yield* TimeTravel

  /** Opens the files for one question. */
  const asking = <A, E>(
    { at, task, directory }: FilesOptions,
    ask: (opened: RecordedFiles.Opened) => Effect.Effect<A, E>,
  ) =>
    RecordedFiles.find({ at, taskId: task, directory }).pipe(
      Effect.flatMap(ask),
      Effect.scoped,
      Effect.provideService(EventLog, log),
    )

  /** Opens the files for a question about their past. */
  const askingWithLooks = <A, E>(
    options: FilesOptions,
    ask: (recorded: RecordedFiles.RecordedFiles) => Effect.Effect<A, E>,
  ) => asking(options, (opened) => Effect.flatMap(RecordedFiles.withLooks(opened), ask))

  return Files.of({
    list: (options = {}) =>
      Effect.flatMap(Options.decode("files.list", FilesOptions, options), (asked) =>
        asking(asked, (opened) =>
          Effect.map(RecordedContent.tree(opened), (tree) => ListedFiles.document(opened, tree)),
        ),
      ),
    read: (path, options = {}) =>
      Effect.zipRight(
        Options.decode("files.read", Named, { path }),
        Effect.flatMap(Options.decode("files.read", FilesOptions, options), (asked) =>
          asking(asked, (opened) => FileContent.read(opened, path)),
        ),
      ),
    diff: (a, b, options = {}) =>
      Effect.gen(function* () {
        const { task, stat = false, ...asked } = yield* Options.decode("files.diff", DiffOptions, options)
        yield* Options.decode("files.diff", Between, { a, b })
        const found = yield* FilesBetween.load({ ...asked, a, b, taskId: task })
        const files = yield* FilesBetween.compared(found, stat)
        return {
          ...FilesBetween.document(found, files, stat),
          files: files.map((one) => ({
            ...ComparedFiles.document(one, stat),
            ...defined({ unified: stat ? undefined : ComparedFiles.unified(one) }),
          })),
        }
      }).pipe(Effect.scoped, Effect.provideService(EventLog, log)),
    history: (path, options = {}) =>
      Effect.zipRight(
        Options.decode("files.history", Named, { path }),
        Effect.flatMap(Options.decode("files.history", HistoryOptions, options), ({ limit, ...asked }) =>
          askingWithLooks(asked, (recorded) =>
            Effect.map(RecordedVersions.originsOf(recorded, path, limit), (found) =>
              RecordedVersions.document(recorded, found),
            ),
          ),
        ),
      ),
    blame: (path, options = {}) =>
      Effect.zipRight(
        Options.decode("files.blame", Named, { path }),
        Effect.flatMap(
          Options.decode("files.blame", BlameOptions, options),
          ({ content, first, last, read, ...asked }) =>
            askingWithLooks(asked, (recorded) =>
              Effect.map(
                RecordedBlame.of(recorded, path, {
                  content: typeof content === "string" ? Buffer.from(content) : content,
                  first,
                  last,
                  read: read === true,
                }),
                (found) => RecordedBlame.document(recorded, found.path, found.blamed),
              ),
            ),
        ),
      ),
    why: (path, options = {}) =>
      Effect.zipRight(
        Options.decode("files.why", Named, { path }),
        Effect.flatMap(Options.decode("files.why", WhyOptions, options), ({ line, ...asked }) =>
          askingWithLooks(asked, (recorded) =>
            Effect.gen(function* () {
              const found = yield* line === undefined
                ? RecordedVersions.lastOf(recorded, path)
                : RecordedBlame.versionOfLine(recorded, path, line)
              const { look } = found.version
              const origin = yield* Origin.finder(recorded.log).originOf(look)
              return {
                root: recorded.root,
                path: found.path,
                version: OriginDocument.ofVersion(found.version, origin),
                chain: yield* travel.why(look.event.id),
              }
            }),
          ),
        ),
      ),
    restore: (at, into, options = {}) =>
      Effect.zipRight(
        Options.decode("files.restore", Into, { at, into }),
        Effect.flatMap(Options.decode("files.restore", RestoreOptions, options), (asked) =>
          asking({ ...asked, at }, (opened) => RestoredFiles.into(opened, into)),
        ),
      ),
  })
})

/** The questions about the files of the `EventLog` in its context. */
export const layer: Layer.Layer<Files, never, EventLog | TimeTravel> = Layer.effect(Files, make)
