/** What a process that records or replays tells whoever started it, in a file: so it is known however the process ends. */

import * as fs from "node:fs"
import { Option, Schema } from "effect"
import { optional } from "../../events/vocabulary/EventType.ts"

/** What became of a run in its process. */
const Report = Schema.Struct({
  /** Why nothing more was recorded: the log failed, and the task is not what the process did. */
  logFailure: optional(Schema.String),
  /** The tasks of conversations that the process served, besides its own. */
  tasks: optional(Schema.Array(Schema.String)),
  /** How the program compares with its recording, once the program has ended. */
  compared: optional(
    Schema.Struct({
      /** What is wrong with it: the error's name and message; null if it did as was recorded. */
      found: Schema.NullOr(
        Schema.Struct({ tag: Schema.Literal("Diverged", "NothingReplayed"), message: Schema.String }),
      ),
      /** How many of its calls were answered from the recording, and how many were made for real. */
      recorded: Schema.Int,
      live: Schema.Int,
    }),
  ),
})

export type ProcessReport = typeof Report.Type

/** Adds to the report of this process. */
export type Add = (more: ProcessReport) => void

/** The report of this process, which is in the file from the first addition on. */
export const to = (file: string): Add => {
  let report: ProcessReport = {}
  return (more) => {
    report = { ...report, ...more }
    fs.writeFileSync(file, JSON.stringify(report))
  }
}

/** The report in a file; undefined if there is none, and the program was not started. */
export const read = (file: string): ProcessReport | undefined =>
  fs.existsSync(file) ? Option.getOrUndefined(asReport(fs.readFileSync(file, "utf8"))) : undefined

const asReport = Schema.decodeUnknownOption(Schema.parseJson(Report))
