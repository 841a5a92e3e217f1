/** Imports the runs of other programs: reads their files as a stream, maps them, and appends what is new. */

import * as fs from "node:fs"
import * as path from "node:path"
import { Clock, Effect, Option } from "effect"
import { type AppendError, EventLog, type LogError, type NewEvent } from "../events/log/EventLog.ts"
import * as Archive from "./Archive.ts"
import * as Detection from "./Detection.ts"
import { idOf } from "./EventIds.ts"
import type { FileReport, ImportReport } from "./ImportReport.ts"
import { isMapped, orderOf } from "./inspect/Inspect.ts"
import type { Run } from "./Run.ts"
import { Runs } from "./Runs.ts"
import * as ScoreAppender from "./ScoreAppender.ts"
import type { Mapper, Source } from "./Source.ts"
import { SOURCES } from "./Sources.ts"
import { type Extent, examineLines, examineWhole, FileRefused, linesOf, MAX_DOCUMENT_BYTES } from "./SourceText.ts"
import { redacted, TaskAppender, type Writing, withSubject } from "./TaskAppender.ts"

/** What to import, and how. */
export interface ImportOptions {
  /** Files, and directories with all that is in them. */
  readonly paths: ReadonlyArray<string>
  /** The only format to consider. Default: all. */
  readonly from?: string
  /** The person whose personal data the files hold: their personal fields are encrypted under this subject's key. */
  readonly subject?: string
  /** Whether personal fields are replaced: what was said, done and answered is then not in the log. */
  readonly redact?: boolean
  /** Whether nothing is written. */
  readonly dryRun?: boolean
  /** Is told how many bytes of how many were read. */
  readonly onProgress?: (bytes: number, of: number) => Effect.Effect<void>
}

/**
 * Imports files. The format of every file is found first: a named file that is of none, or of two, fails the import
 * before anything is written. A run is written in one transaction (one of more than 10,000 events in several), with ids
 * that follow from the source's: what is in the log is not written again.
 */
export const importFiles = (options: ImportOptions): Effect.Effect<ImportReport, FileRefused | AppendError, EventLog> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { dryRun = false, redact = false, onProgress = () => Effect.void } = options
    const sources = options.from === undefined ? SOURCES : SOURCES.filter(({ name }) => name === options.from)
    const forced: ReadonlyArray<Source> =
      options.from === undefined ? sources : sources.map((source) => ({ ...source, recognizes: () => true }))
    const { found, unknown, refused: unreadable } = yield* Detection.find(options.paths, forced)
    const total = found.reduce((sum, { file }) => sum + (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0)
    let before = 0
    const files: Array<FileReport> = []
    const refused = unreadable.map(refusal)
    for (const one of found) {
      const writing = {
        log,
        source: one.source.name,
        redact,
        dryRun,
        ...(options.subject === undefined ? {} : { subject: options.subject }),
      }
      const report = yield* importFile(writing, one, (bytes) =>
        onProgress(before + bytes, Math.max(total, before + bytes)),
      ).pipe(
        Effect.catchTag("FileRefused", (cause) => {
          refused.push(refusal(cause))
          return Effect.succeed(undefined)
        }),
      )
      if (report !== undefined) files.push(report)
      before += report?.bytes ?? 0
    }
    return { dryRun, files, refused, unknown, added: files.reduce((sum, { added }) => sum + added, 0) }
  })

const refusal = ({ file, expected, found }: FileRefused) => ({ file, reason: `expected ${expected}, found ${found}` })

/** Imports one file. */
const importFile = (
  writing: Writing,
  { file, source, zipped }: Detection.Found,
  onBytes: (bytes: number) => Effect.Effect<void>,
): Effect.Effect<FileReport, FileRefused | AppendError> =>
  Effect.gen(function* () {
    const extent = yield* extentOf(file, source, zipped)
    const runs = new Runs(source.name)
    const appenders = new Map<Run, TaskAppender>()
    let records = 0
    if (yield* isImported(writing, extent))
      return reportOf(file, source, extent, runs, appenders, { records, added: 0, known: true })
    const mapper = source.open(
      {
        name: path.basename(file),
        path: file,
        digest: extent.digest,
        now: yield* Clock.currentTimeMillis,
        beside: besides(file),
      },
      runs,
    )

    /** Hands the events that were mapped to their runs, and writes the runs that ended. */
    const write = Effect.suspend(() => {
      const flushes: Array<Effect.Effect<void, AppendError>> = []
      for (const event of runs.drain()) {
        let appender = appenders.get(event.run)
        if (appender === undefined) {
          appender = new TaskAppender(writing, event.run)
          appenders.set(event.run, appender)
        }
        const due = appender.take(event)
        if (due !== undefined) flushes.push(due)
        if (event.body.type === "TaskClosed") flushes.push(appender.flush)
      }
      return Effect.all(flushes, { discard: true })
    })

    yield* read(file, source, zipped, extent, mapper, runs, (count, bytes) => {
      records += count
      return Effect.zipRight(write, onBytes(bytes))
    })
    mapper.end()
    yield* write
    for (const appender of appenders.values()) yield* appender.flush
    if (extent.partial) runs.remark("a last line that is not whole yet: it is imported when it is")
    const scored = yield* ScoreAppender.append(writing, appenders, runs.scores)
    const counted = { records, added: scored, known: false }
    return yield* conclude(writing, file, source, extent, reportOf(file, source, extent, runs, appenders, counted))
  })

const extentOf = (file: string, { form }: Source, zipped: boolean): Effect.Effect<Extent, FileRefused> => {
  if (zipped) return examineWhole(file, Number.POSITIVE_INFINITY)
  return form === "lines" ? examineLines(file) : examineWhole(file, MAX_DOCUMENT_BYTES)
}

/** The id of the event that says that a file with this content was imported, with all of its runs ended. */
const importedId = (source: string, digest: string, finished: boolean): string =>
  idOf(source, "file", digest, String(finished))

const isImported = ({ log, source }: Writing, { digest }: Extent): Effect.Effect<boolean, LogError> =>
  Effect.map(log.find(importedId(source, digest, true)), Option.isSome)

/** Reads the small files that some formats have beside theirs. */
const besides =
  (file: string) =>
  (name: string): string | undefined => {
    const beside = path.join(path.dirname(file), name)
    const stat = fs.statSync(beside, { throwIfNoEntry: false })
    return stat?.isFile() === true && stat.size <= MAX_BESIDE_BYTES ? fs.readFileSync(beside, "utf8") : undefined
  }

const MAX_BESIDE_BYTES = 4 * 1024 * 1024

/** Reads the records of a file and maps them. `onRecords` is called after each group of them. */
const read = (
  file: string,
  source: Source,
  zipped: boolean,
  { bytes }: Extent,
  mapper: Mapper,
  runs: Runs,
  onRecords: (count: number, bytes: number) => Effect.Effect<void, AppendError>,
): Effect.Effect<void, FileRefused | AppendError> => {
  const refuse = (cause: unknown) =>
    cause instanceof FileRefused
      ? cause
      : new FileRefused({
          file,
          expected: `a ${source.title}`,
          found: cause instanceof Error ? cause.message : String(cause),
        })
  return Effect.gen(function* () {
    if (zipped) return yield* readArchive(file, mapper, refuse, onRecords)
    if (source.form === "document") {
      const text = yield* Effect.tryPromise({ try: () => fs.promises.readFile(file, "utf8"), catch: refuse })
      const value = yield* Effect.try({ try: () => parsedDocument(text), catch: refuse })
      mapper.record({ value, where: "the document" })
      return yield* onRecords(1, bytes)
    }
    let line = 0
    let done = 0
    const lines = linesOf(file, bytes)
    try {
      while (true) {
        const next = yield* Effect.tryPromise({ try: () => lines.next(), catch: refuse })
        if (next.done === true) return
        let count = 0
        for (const text of next.value) {
          line += 1
          done += text.length + 1
          if (text.trim() === "") continue
          count += 1
          const value = parsedLine(text)
          if (typeof value === "object" && value !== null) mapper.record({ value, where: String(line) })
          else runs.leaveOut("line", "it is no JSON object")
          // Between lines, so that no more is in memory than what one line became.
          if (count % LINES_BETWEEN_WRITES === 0) yield* onRecords(0, done)
        }
        yield* onRecords(count, done)
      }
    } finally {
      yield* Effect.promise(() => lines.return(undefined))
    }
  })
}

const LINES_BETWEEN_WRITES = 256

const parsedLine = (text: string): unknown => {
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
  } catch {
    return undefined
  }
}

const readArchive = (
  file: string,
  mapper: Mapper,
  refuse: (cause: unknown) => FileRefused,
  onRecords: (count: number, bytes: number) => Effect.Effect<void, AppendError>,
): Effect.Effect<void, FileRefused | AppendError> =>
  Effect.acquireUseRelease(
    Effect.tryPromise({ try: () => Archive.open(file), catch: refuse }),
    (archive) =>
      Effect.gen(function* () {
        let done = 0
        const parts = partsInOrder(archive.entries)
        const parse = async (entry: Archive.Entry) => parsedDocument((await archive.read(entry)).toString("utf8"))
        // All are read once before the first is mapped: of a damaged archive nothing is imported.
        for (const entry of parts) yield* Effect.tryPromise({ try: () => parse(entry), catch: refuse })
        for (const entry of parts) {
          const value = yield* Effect.tryPromise({ try: () => parse(entry), catch: refuse })
          mapper.record({ value, where: entry.name })
          done += entry.compressed
          yield* onRecords(1, done)
        }
      }),
    (archive) => Effect.promise(() => archive.close()),
  )

/** The parts of an archive that are mapped, in the order in which they are. */
const partsInOrder = (entries: ReadonlyMap<string, Archive.Entry>): ReadonlyArray<Archive.Entry> =>
  [...entries.values()]
    .filter(({ name }) => isMapped(name))
    .map((entry) => ({ entry, order: orderOf(entry.name) }))
    .sort((a, b) => compare(a.order, b.order))
    .map(({ entry }) => entry)

const compare = (a: ReadonlyArray<string | number>, b: ReadonlyArray<string | number>): number => {
  for (const [index, one] of a.entries()) {
    const other = b[index] ?? 0
    if (one !== other) return one < other ? -1 : 1
  }
  return 0
}

/** A JSON document. Python writes NaN and infinities as words that are no JSON: outside of texts they become null. */
const parsedDocument = (text: string): unknown => {
  const plain = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  try {
    return JSON.parse(plain)
  } catch (cause) {
    if (!/\b(?:NaN|Infinity)\b/.test(plain)) throw cause
    return JSON.parse(
      plain.replace(/"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g, (found) => (found.startsWith('"') ? found : "null")),
    )
  }
}

const reportOf = (
  file: string,
  source: Source,
  { digest, bytes }: Extent,
  runs: Runs,
  appenders: ReadonlyMap<Run, TaskAppender>,
  { records, added, known }: { readonly records: number; readonly added: number; readonly known: boolean },
): FileReport => {
  const ofRuns = runs.all.map((run) => {
    const appender = appenders.get(run)
    return {
      taskIds: appender?.taskIds ?? [run.taskId],
      ...{ goal: run.start.goal, ended: run.closed, added: appender?.added ?? 0, commits: appender?.commits ?? 0 },
    }
  })
  return {
    ...{ file, source: source.name, digest, bytes, records, known, runs: ofRuns },
    added: added + ofRuns.reduce((sum, run) => sum + run.added, 0),
    scorers: [...new Set(runs.scores.map(({ scorer }) => scorer))],
    ...{
      kept: Object.fromEntries(runs.kept),
      leftOut: Object.fromEntries(runs.leftOut),
      remarks: Object.fromEntries(runs.remarks),
    },
  }
}

/** Records that the file was imported, as the last thing, unless that is recorded. */
const conclude = (
  { log, subject, redact, dryRun, source }: Writing,
  file: string,
  { name: _ }: Source,
  { digest, bytes }: Extent,
  report: FileReport,
): Effect.Effect<FileReport, AppendError> =>
  Effect.gen(function* () {
    const finished = report.runs.length > 0 && report.runs.every(({ ended }) => ended)
    const id = importedId(source, digest, finished)
    if (report.runs.length === 0 || Option.isSome(yield* log.find(id))) return report
    const payload = {
      ...{ source, name: path.basename(file).toWellFormed(), digest, bytes, records: report.records, finished },
      taskIds: report.runs.flatMap(({ taskIds }) => taskIds),
      ...{ kept: report.kept, leftOut: report.leftOut },
    }
    const event: NewEvent = { id, type: "FileImported", payload }
    const events = [redact ? ({ ...event, payload: redacted("FileImported", payload) } as NewEvent) : event]
    const request = { stream: `import/${digest}`, actor: `import:${source}`, events }
    if (!dryRun) yield* log.append(subject === undefined ? request : withSubject(request, subject))
    return { ...report, added: report.added + 1 }
  })
