/** Records that a file was imported, and builds its report. */

import * as path from "node:path"
import { Effect, Option } from "effect"
import type { AppendError, LogError, NewEvent } from "../../events/log/EventLog.ts"
import type { FileReport } from "../ImportReport.ts"
import { idOf } from "../runs/EventIds.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { redacted, type Writing, withSubject } from "./Writing.ts"
import type { WrittenRuns } from "./WrittenRuns.ts"

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
    const { file, digest, bytes, records, waits, runs, counts, kept, leftOut } = report
    const finished = !waits && counts.runs > 0 && counts.open === 0
    const id = importedId(source, content, finished)
    if (counts.runs === 0 || Option.isSome(yield* log.find(id))) return report
    const payload = {
      source,
      name: path.basename(file).toWellFormed(),
      digest,
      bytes,
      records,
      finished,
      taskIds: runs.flatMap(({ taskIds }) => taskIds),
      ...(runs.length === counts.runs ? {} : { runs: counts.runs }),
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

const WAITING = "postponed: hooks are recording this session. Import the file again when it has ended"

const CHECK = "a check of hooks by Hindcast, which is nobody's session: it is not imported"

/** The report's part about the file; `added` counts events of no run. */
type About = Pick<FileReport, "file" | "parts" | "source" | "digest" | "bytes" | "records" | "known" | "added">

export const report = (
  { file, parts, source, digest, bytes, records, known, added }: About,
  { waits, scores, kept, leftOut, remarks }: MappedRuns,
  { named, totals: { foreign, waiting, added: ofRuns, ...counts }, checks }: ReturnType<WrittenRuns["conclude"]>,
): FileReport => ({
  file,
  parts,
  source,
  digest,
  bytes,
  records,
  known,
  waits,
  runs: named,
  counts,
  added: added + ofRuns,
  scorers: [...new Set(scores.map(({ scorer }) => scorer))],
  kept: Object.fromEntries(kept),
  leftOut: Object.fromEntries(leftOut),
  remarks: {
    ...Object.fromEntries(remarks),
    ...(foreign === 0 ? {} : { [FOREIGN]: foreign }),
    ...(waiting === 0 ? {} : { [WAITING]: waiting }),
    ...(checks === 0 ? {} : { [CHECK]: checks }),
  },
})
