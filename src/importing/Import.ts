/** Imports runs of other programs: streams their files, maps the records to events, and appends the new ones. */

import * as fs from "node:fs"
import * as path from "node:path"
import { Clock, Effect } from "effect"
import { type AppendError, EventLog } from "../events/log/EventLog.ts"
import * as Prices from "../kernel/pricing/Prices.ts"
import { defined } from "../values/defined.ts"
import * as Companions from "./files/Companions.ts"
import * as Detection from "./files/Detection.ts"
import { unpackedName } from "./files/FileText.ts"
import { parsedDocument } from "./files/LineText.ts"
import * as Records from "./files/Records.ts"
import {
  type Extent,
  examineDataset,
  examineLines,
  examineMessages,
  examineParts,
  examinePieces,
  examineWhole,
  FileRefused,
  MAX_DOCUMENT_BYTES,
} from "./files/SourceText.ts"
import type { FileReport, ImportReport, RefusedFile } from "./ImportReport.ts"
import { Preview } from "./Preview.ts"
import { taskIdOf } from "./runs/Run.ts"
import { MappedRuns } from "./runs/Runs.ts"
import { type FileHead, type Source, Unmappable } from "./Source.ts"
import { SOURCES } from "./Sources.ts"
import { EarlierImports, isChanged } from "./writing/EarlierImports.ts"
import * as ImportedFile from "./writing/ImportedFile.ts"
import * as Owner from "./writing/Owner.ts"
import { Relatives } from "./writing/Relatives.ts"
import * as ScoreAppender from "./writing/ScoreAppender.ts"
import type { TaskAppender } from "./writing/TaskAppender.ts"
import { actorOf, type Writing } from "./writing/Writing.ts"
import { WrittenRuns } from "./writing/WrittenRuns.ts"

export interface ImportOptions {
  /** Files, and directories with everything below them. */
  readonly paths: ReadonlyArray<string>
  /** The only format to consider. Default: all. */
  readonly from?: string
  /** A custom format, such as a mapping; the only one to consider. */
  readonly format?: Source
  /** The person whose personal data the files hold; personal fields are encrypted with this subject's key. */
  readonly subject?: string
  /** Replaces personal fields, so that the log lacks all text, arguments and results. */
  readonly redact?: boolean
  /** Writes nothing. */
  readonly dryRun?: boolean
  /** Called if the import is interrupted. */
  readonly onInterrupt?: (done: ImportSoFar) => Effect.Effect<void>
  /** Called with the bytes read so far and in total. */
  readonly onProgress?: (bytes: number, of: number) => Effect.Effect<void>
}

export interface ImportSoFar {
  readonly files: number
  readonly of: number
  /** New events, including those of the unfinished file. */
  readonly added: number
}

/**
 * Imports files. First finds every file's format: a named file without one, or with two, fails the import before
 * anything is written. Each run is one transaction (several above 10,000 events). Event ids derive from the source's,
 * so importing again adds only what is new.
 */
export const importFiles = (options: ImportOptions): Effect.Effect<ImportReport, FileRefused | AppendError, EventLog> =>
  Effect.gen(function* () {
    const findings = yield* Detection.find(options.paths, sourcesOf(options))
    return yield* importFound(findings, options)
  })

/** Imports files of known formats. Repeated imports share `earlier`. */
export const importFound = (
  { found, unknown, unknownBecause, links, others, refused: unreadable }: Detection.Findings,
  options: ImportOptions,
  earlier = new EarlierImports(),
): Effect.Effect<ImportReport, AppendError, EventLog> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { dryRun = false, redact = false, onProgress = () => Effect.void } = options
    const sizeOf = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0
    const total = found.reduce(
      (sum, { file, parts = [file] }) => sum + parts.reduce((of, one) => of + sizeOf(one), 0),
      0,
    )
    const relatives = new Relatives(log, dryRun)
    /** For a dry run: the events that it would have written, by task. */
    const dry = new Map<string, TaskAppender>()
    const preview = dryRun ? new Preview() : undefined
    let bytesBefore = 0
    const files: Array<FileReport> = []
    const refused = unreadable.map((cause) => refusal(cause, 0))
    let underWay: WrittenRuns | undefined
    const addedSoFar = () => [...files, ...refused].reduce((sum, file) => sum + file.added, 0)
    const importOne = (one: Detection.Found) =>
      Effect.gen(function* () {
        const subject = options.subject === undefined ? {} : { subject: options.subject }
        const writing = { log, source: one.source.name, redact, dryRun, ...subject }
        const onBytes = (bytes: number) => onProgress(bytesBefore + bytes, Math.max(total, bytesBefore + bytes))
        const written = new WrittenRuns(writing, dryRun && found.length > 1 ? dry : undefined)
        underWay = written
        const report = yield* importFile(writing, one, written, onBytes, { preview, relatives, earlier }).pipe(
          Effect.catchTag("FileRefused", (cause) => {
            refused.push(refusal(cause, written.added))
            return Effect.succeed(undefined)
          }),
        )
        if (report !== undefined) files.push(report)
        underWay = undefined
        bytesBefore += report?.bytes ?? 0
      })
    yield* Effect.forEach(found, importOne, { discard: true }).pipe(
      Effect.onInterrupt(() => {
        const done = files.length + refused.length - unreadable.length
        return (
          options.onInterrupt?.({ files: done, of: found.length, added: addedSoFar() + (underWay?.added ?? 0) }) ??
          Effect.void
        )
      }),
    )
    const added = addedSoFar()
    const shown = preview?.shown
    return {
      dryRun,
      files,
      refused,
      unknown,
      unknownBecause,
      links,
      others: Object.fromEntries(others),
      added,
      ...defined({ preview: shown }),
    }
  })

/**
 * The formats to consider. A format that the caller names recognizes every file except those that only another format
 * does.
 */
export const sourcesOf = ({ from, format }: Pick<ImportOptions, "from" | "format">): ReadonlyArray<Source> => {
  if (format !== undefined) return [format]
  if (from === undefined) return SOURCES
  return SOURCES.filter(({ name }) => name === from).map((source) => {
    const instead = (head: FileHead) =>
      source.recognizes(head) ? undefined : SOURCES.find((other) => other.recognizes(head))?.title
    return { ...source, recognizes: (head) => instead(head) === undefined, instead }
  })
}

/** Number of runs appended concurrently. The log commits them together, each atomically. */
const RUNS_AT_ONCE = 32

const refusal = ({ file, expected, found }: FileRefused, added: number): RefusedFile => ({
  file,
  reason: `expected ${expected}, found ${found}`,
  added,
})

interface Shared {
  readonly preview: Preview | undefined
  readonly relatives: Relatives
  readonly earlier: EarlierImports
}

/** Imports one file into `written`. */
const importFile = (
  writing: Writing,
  found: Detection.Found,
  written: WrittenRuns,
  onBytes: (bytes: number) => Effect.Effect<void>,
  { preview, relatives, earlier }: Shared,
): Effect.Effect<FileReport, FileRefused | AppendError> =>
  Effect.gen(function* () {
    const { file, source, beginning } = found
    const parts = found.parts ?? []
    const name = path.basename(file)
    const task = beginning === undefined ? undefined : taskIdOf(source.name, beginning.run)
    const before = yield* earlier.of(writing.log, source.name, name.toWellFormed(), task)
    const extent = yield* extentOf(
      found,
      [...before.values()].map(({ bytes }) => bytes),
    )
    const { texts: companions, tooLarge } = yield* Companions.of(found)
    const content = { digest: extent.digest, companions: [...companions.values()] }
    const runs = new MappedRuns(source, yield* Prices.load())
    const reported = (records: number, added: number, known: boolean) =>
      ImportedFile.report(
        { file, parts, source: source.name, digest: extent.digest, bytes: extent.bytes, records, added, known },
        runs,
        written.conclude(),
      )
    if (yield* ImportedFile.isImported(writing, content)) return reported(0, 0, true)
    const owners = new Map<string, Owner.Owner | undefined>()
    const related = yield* relatives.of(source.name, beginning)
    const mapper = source.open(
      {
        name: unpackedName(path.basename(file)),
        path: path.resolve(file).split(path.sep).join("/"),
        digest: extent.digest,
        now: yield* Clock.currentTimeMillis,
        modifiedAt: modifiedAt(found),
        isOutOfOrder: beginning?.isOutOfOrder === true,
        ownerOf: (taskId) => owners.get(taskId),
        relatives: related,
        beside: (name) => companions.get(name),
        blob: Companions.blobOf(found),
      },
      runs,
    )

    /** Passes mapped events to their runs and flushes runs that ended. */
    const write = Effect.suspend(() => {
      const flushes: Array<Effect.Effect<void, AppendError>> = []
      for (const event of runs.drain()) {
        preview?.take(event)
        const due = written.take(event)
        if (due !== undefined) flushes.push(due)
      }
      const flushed = Effect.all(flushes, { discard: true, concurrency: RUNS_AT_ONCE })
      // Later files ask for the events of runs that name their beginning.
      return beginning === undefined ? Effect.tap(flushed, () => written.releaseEnded()) : flushed
    })

    let records = 0
    let stopped: FileRefused | undefined
    /** `Unmappable` stops the file at the next write. */
    const mapping = <A>(map: () => A): A | undefined => {
      try {
        return stopped === undefined ? runs.mapping(map) : undefined
      } catch (cause) {
        if (!(cause instanceof Unmappable)) throw cause
        stopped = new FileRefused({ file, expected: cause.expected, found: cause.message })
        return undefined
      }
    }
    const writeUnlessStopped = Effect.suspend(
      (): Effect.Effect<void, FileRefused | AppendError> => (stopped === undefined ? write : Effect.fail(stopped)),
    )
    const askOwners = Effect.gen(function* () {
      for (const { taskId, account } of mapper.asks?.() ?? [])
        if (!owners.has(taskId)) owners.set(taskId, yield* Owner.of(writing.log, taskId, actorOf({ source: account })))
    })
    const { survey } = mapper
    if (survey !== undefined && found.form !== "document") {
      yield* Records.read(found, extent, { ...NOTHING, record: survey })
      yield* askOwners
    }
    yield* Records.read(found, extent, {
      record: (record) => mapping(() => mapper.record(record)),
      noObject: () => runs.leaveOut("line", "it is no JSON object"),
      noText: () => runs.remark("text with bytes that are no UTF-8: each of them is replaced by \uFFFD"),
      onRecords: (count, bytes) => {
        records += count
        return Effect.zipRight(writeUnlessStopped, onBytes(bytes))
      },
    })
    for (const name of tooLarge) runs.remark(`${name} beside it is too large: what it has is not known`)
    if (extent.packing !== undefined)
      runs.remarkOnFile(`a file in ${extent.packing}: its digest and its size are those of its text, in UTF-8`)
    yield* askOwners
    // Writes between the steps of a mapper that maps in steps.
    const steps = mapping(() => mapper.end())?.[Symbol.iterator]()
    while (mapping(() => steps?.next().done === false) === true) yield* write
    yield* writeUnlessStopped
    for (const appender of written.appenders.values()) yield* appender.flush
    relatives.add(beginning, written.appenders)
    const { named } = written.conclude()
    if (named.length === 0 && runs.leftOut.size === 0) runs.remarkOnFile("there is no run in it, or none yet")
    if (found.form === "lines" && found.parts === undefined && !found.zipped && found.pieces === undefined)
      if (isChanged(before, [...new Set(named.flatMap(({ taskIds }) => taskIds.slice(0, 1)))], extent))
        runs.remark(
          "a file that does not begin with what was imported of it: it was rotated, cut off or changed. The log keeps what it has",
        )
    if (extent.partial) runs.remarkOnFile("postponed: an incomplete last line. It is imported once it is complete")
    const scored = yield* ScoreAppender.append(writing, runs.scores)
    return yield* ImportedFile.conclude(writing, content, reported(records, scored, false))
  })

const NOTHING = { noObject: () => {}, noText: () => {}, onRecords: () => Effect.void }

const extentOf = (
  { file, form, zipped, pieces, parts, framing, source }: Detection.Found,
  stages: ReadonlyArray<number>,
): Effect.Effect<Extent, FileRefused> => {
  if (parts !== undefined) return examineParts(parts)
  if (pieces !== undefined) return examinePieces(file, pieces)
  if (zipped) return examineWhole(file, Number.POSITIVE_INFINITY)
  if (framing !== undefined) return examineMessages(file, framing, MAX_DOCUMENT_BYTES)
  if (form === "dataset")
    return examineDataset(file, (text) => source.dataset?.(file, parsedDocument(text.toString("utf8"))).files ?? [])
  return form === "lines" ? examineLines(file, stages) : examineWhole(file, MAX_DOCUMENT_BYTES)
}

/** Last modification of a file, or of the last piece or file of a run. */
const modifiedAt = ({ file, pieces, parts }: Pick<Detection.Found, "file" | "pieces" | "parts">): number => {
  if (parts !== undefined) return Math.max(...parts.map((part) => modifiedAt({ file: part })))
  const last = pieces?.at(-1)
  return fs.statSync(last === undefined ? file : path.join(file, last), { throwIfNoEntry: false })?.mtimeMs ?? 0
}
