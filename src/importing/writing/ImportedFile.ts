/** Records that a file was imported, and builds its report. */

import * as path from "node:path"
import { Effect, Option } from "effect"
import type { AppendError, LogError, NewEvent } from "../../events/log/EventLog.ts"
import type { FileReport } from "../ImportReport.ts"
import { idOf } from "../runs/EventIds.ts"
import type { ImportedRun } from "../runs/RunEvent.ts"
import type { Runs } from "../runs/Runs.ts"
import { redacted, type TaskAppender, type Writing, withSubject } from "./TaskAppender.ts"

export interface Content {
  readonly digest: string
  readonly companions: ReadonlyArray<string>
}

/** The id of the `FileImported` event for this content; `finished` if all runs had ended. */
const importedId = (source: string, { digest, companions }: Content, finished: boolean): string =>
  idOf(source, "file", digest, String(finished), ...companions)

/** Whether the log has the whole file with all runs ended. */
export const isImported = ({ log, source }: Writing, content: Content): Effect.Effect<boolean, LogError> =>
  Effect.map(log.find(importedId(source, content, true)), Option.isSome)

/** Records the import last, unless that was done before. Returns the report including that event. */
export const conclude = (
  { log, subject, redact, dryRun, source }: Writing,
  content: Content,
  report: FileReport,
): Effect.Effect<FileReport, AppendError> =>
  Effect.gen(function* () {
    const { file, digest, bytes, records, waits, runs, kept, leftOut } = report
    const finished = !waits && runs.length > 0 && runs.every(({ ended }) => ended)
    const id = importedId(source, content, finished)
    if (runs.length === 0 || Option.isSome(yield* log.find(id))) return report
    const payload = {
      source,
      name: path.basename(file).toWellFormed(),
      digest,
      bytes,
      records,
      finished,
      taskIds: runs.flatMap(({ taskIds }) => taskIds),
      kept,
      leftOut,
    }
    const event: NewEvent = { id, type: "FileImported", payload }
    const events = [redact ? ({ ...event, payload: redacted("FileImported", payload) } as NewEvent) : event]
    const request = { stream: `import/${digest}`, actor: `import:${source}`, events }
    if (!dryRun) yield* log.append(subject === undefined ? request : withSubject(request, subject))
    return { ...report, added: report.added + 1 }
  })

const FOREIGN =
  "a run that this log recorded live: nothing was added to its task. Import the file into another log to read it"

/** The report's part about the file; `added` counts events of no run. */
type About = Pick<FileReport, "file" | "parts" | "source" | "digest" | "bytes" | "records" | "known" | "added">

export const report = (
  { file, parts, source, digest, bytes, records, known, added }: About,
  runs: Runs,
  appenders: ReadonlyMap<ImportedRun, TaskAppender>,
): FileReport => {
  const isForeign = (run: ImportedRun) => appenders.get(run)?.isForeign === true
  const foreign = runs.all.filter(isForeign).length
  const ofRuns = runs.all.flatMap((run) => {
    if (isForeign(run)) return []
    const appender = appenders.get(run)
    return {
      taskIds: appender?.taskIds ?? [run.taskId],
      goal: run.start.goal,
      ended: run.closed,
      added: appender?.added ?? 0,
      commits: appender?.commits ?? 0,
    }
  })
  return {
    file,
    parts,
    source,
    digest,
    bytes,
    records,
    known,
    waits: runs.waits,
    runs: ofRuns,
    added: added + ofRuns.reduce((sum, run) => sum + run.added, 0),
    scorers: [...new Set(runs.scores.map(({ scorer }) => scorer))],
    kept: Object.fromEntries(runs.kept),
    leftOut: Object.fromEntries(runs.leftOut),
    remarks: { ...Object.fromEntries(runs.remarks), ...(foreign === 0 ? {} : { [FOREIGN]: foreign }) },
  }
}
