/** The report of a recorded or replayed process to its parent: a file, so that it survives however the process ends. */

import * as fs from "node:fs"
import { Option, Schema } from "effect"
import { optional } from "../../events/vocabulary/EventType.ts"

const Report = Schema.Struct({
  /** Why recording stopped; the task is then incomplete. */
  logFailure: optional(Schema.String),
  /** The error that nothing caught, without keys. */
  uncaught: optional(Schema.String),
  /** Tasks of conversations that the process served, in addition to its own. */
  tasks: optional(Schema.Array(Schema.String)),
  /** Comparison with the recording, once the program has ended. */
  compared: optional(
    Schema.Struct({
      /** The error's tag and message; null if the program did as recorded. */
      found: Schema.NullOr(
        Schema.Struct({ tag: Schema.Literal("Diverged", "NothingReplayed"), message: Schema.String }),
      ),
      /** Number of calls answered from the recording, and made for real. */
      recorded: Schema.Int,
      live: Schema.Int,
    }),
  ),
})

export type ProcessReport = typeof Report.Type

export type Add = (more: ProcessReport) => void

/** Returns a function that adds to the report; the file exists from the first addition on. */
export const to = (file: string): Add => {
  let report: ProcessReport = {}
  return (more) => {
    report = { ...report, ...more }
    fs.writeFileSync(file, JSON.stringify(report))
  }
}

export const read = (file: string): ProcessReport | undefined =>
  fs.existsSync(file) ? Option.getOrUndefined(asReport(fs.readFileSync(file, "utf8"))) : undefined

const asReport = Schema.decodeUnknownOption(Schema.parseJson(Report))
