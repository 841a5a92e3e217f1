/** The command `hindcast export audits`: the audits of all tasks as a table or as documents. */
import * as path from "node:path"
import { Command, Options } from "@effect/cli"
import { Chunk, Effect, Option, Stream } from "effect"
import { EventLog, type TaskPart } from "../../events/log/EventLog.ts"
import type { TaskAudit } from "../../projections/audit/TaskAudit.ts"
import * as AuditsRows from "../../projections/exports/AuditsRows.ts"
import * as Csv from "../../projections/exports/Csv.ts"
import { type Encoder, encode } from "../../projections/exports/Encoder.ts"
import * as ParquetRows from "../../projections/exports/ParquetRows.ts"
import type { ScoreChoice } from "../../projections/report/ScoreChoice.ts"
import { BadInput } from "../command/BadInput.ts"
import { common, oneOf, optionalText } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as TimelineOption from "../command/TimelineOption.ts"
import * as AuditParts from "../parts/AuditParts.ts"
import * as PartOption from "../parts/PartOption.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"
import { count, size } from "../terminal/Text.ts"
import * as V8Tuning from "../terminal/V8Tuning.ts"
import * as AuditsMarkdown from "./AuditsMarkdown.ts"
import * as ExportSummary from "./ExportSummary.ts"
import * as OutputFile from "./OutputFile.ts"
import * as OutputFormat from "./OutputFormat.ts"
import * as ScoreOption from "./ScoreOption.ts"

/** The first is the default. */
export const FORMATS = ["csv", "parquet", "jsonl", "json", "markdown"] as const
type Format = (typeof FORMATS)[number]

export const audits = Command.make(
  "audits",
  {
    ...common,
    ...OutputFile.outputOptions,
    scores: optionalText(
      "scores",
      "The scores: a pointer, a score set's id or the end of it, a label, or `all`, with a row for each. Default: for each task official, else live, else the newest; in documents all",
    ),
    format: oneOf("format", FORMATS).pipe(
      Options.withDescription("Default: by the end of the file's name (.md is markdown), csv if it has none"),
      Options.optional,
    ),
    timeline: TimelineOption.timeline,
    decrypt: OpenLog.decrypt,
    parts: PartOption.parts,
    part: PartOption.part,
    merge: PartOption.merge,
    until: optionalText("until", "With --part, --merge: the last moment that counts, the same for all parts"),
  },
  ({ log: named, json, output, force, scores, format: typed, timeline, decrypt, ...divided }) =>
    Effect.gen(function* () {
      yield* V8Tuning.limitHeapGrowth
      const log = yield* EventLog
      const how = yield* AuditParts.mode(divided, AuditParts.momentOf)
      if (how._tag === "Part")
        return yield* writePart({
          output,
          force,
          json,
          decrypt,
          part: how.part,
          until: how.until,
          isBeside: Option.isSome(scores) || Option.isSome(typed),
        })
      const now = yield* log.head
      const head = how._tag === "Merge" ? yield* AuditParts.headAt(how.until) : now
      const format = yield* OutputFormat.choose(output, typed, FORMATS)
      const isTable = format === "csv" || format === "parquet"
      // A table with several scorings of a task invites summing them as several tasks.
      const isWhole = Option.match(scores, { onNone: () => !isTable, onSome: (name) => name === ALL })
      const choice = isWhole ? undefined : yield* ScoreOption.resolve(scores)
      const source = { log: path.basename(log.name), head: head.position }
      let [exported, rows, scored] = [0, 0, 0]
      const written = yield* ProgressLine.during({ verb: "read", unit: "events", json }, (onProgress) => {
        const audits = () =>
          AuditParts.stream(how, { log: named, timeline, decrypt, until: head.position, onProgress }).pipe(
            Stream.mapChunks(Chunk.map((audit) => (choice === undefined ? audit : withChosenScore(audit, choice)))),
            Stream.rechunk(PAGE),
            Stream.chunks,
            Stream.map(Chunk.toReadonlyArray),
          )
        const counted = audits().pipe(
          Stream.tap((page) =>
            Effect.sync(() => {
              exported += page.length
              for (const audit of page) {
                rows += AuditsRows.rowsOf(audit).length
                scored += audit.scores.length > 0 ? 1 : 0
              }
            }),
          ),
        )
        const first = encode(() => encoderOf(format, source), counted)
        // The table precedes the documents, so this reads the log twice.
        const chunks = format === "markdown" ? Stream.concat(first, encode(AuditsMarkdown.documents, audits())) : first
        return OutputFile.writeAll({ file: output, force, log: log.name, binary: format === "parquet" }, chunks)
      })
      const summary = { ...written, format, audits: exported, ...(isTable ? { rows } : {}), head }
      yield* ExportSummary.printSummary(
        { output, json },
        summary,
        `Exported ${count(exported, "audit")}${isTable && rows !== exported ? ` in ${count(rows, "row")}` : ""} (${size(written.bytes)}) to ${output}.${choice === undefined ? "" : ScoreOption.noneScored(choice, exported, scored)}`,
      )
    }).pipe(TimelineOption.provide(timeline), Effect.provide(OpenLog.forSharing(named, { decrypted: decrypt }))),
).pipe(
  Command.withDescription(
    "Write the audits of all tasks as a table with a row for each task (CSV, Parquet), or in full (JSON, JSON Lines, Markdown)",
  ),
)

interface PartToWrite {
  readonly output: string
  readonly force: boolean
  readonly json: boolean
  readonly decrypt: boolean
  readonly part: TaskPart
  readonly until: number
  /** Whether options were typed that only the whole export has. */
  readonly isBeside: boolean
}

const writePart = ({ output, json, isBeside, part, ...options }: PartToWrite) =>
  Effect.gen(function* () {
    if (isBeside) {
      return yield* new BadInput({
        input: "--part",
        expected: "neither --scores nor --format, which the merging takes",
        found: "one of them",
      })
    }
    const written = yield* AuditParts.write({ ...options, output, part })
    const name = PartOption.textOf(part)
    yield* ExportSummary.printSummary(
      { output, json },
      { ...written, part: name },
      `Wrote ${count(written.audits, "audit")}, the part ${name}, to ${output}.`,
    )
  })

const ALL = "all"

const PAGE = 256

const withChosenScore = (audit: TaskAudit, choice: ScoreChoice): TaskAudit => {
  const score = choice.pick(audit.scores)
  return { ...audit, scores: score === null ? [] : [score] }
}

interface Source {
  readonly log: string
  readonly head: number
}

const encoderOf = (format: Format, source: Source): Encoder<TaskAudit> => {
  switch (format) {
    case "csv":
      return byRows(Csv.encoder(AuditsRows.COLUMNS))
    case "parquet":
      return byRows(
        ParquetRows.encoder(
          { columns: AuditsRows.COLUMNS, weigh: ({ audit }) => audit.goal.length + ROW_WEIGHT },
          { "hindcast.log": source.log, "hindcast.head": String(source.head) },
        ),
      )
    case "jsonl":
      return { add: (audits) => audits.map((audit) => `${JSON.stringify(audit)}\n`).join(""), end: () => "" }
    case "json":
      return documents()
    case "markdown":
      return byRows(AuditsMarkdown.summary(source.log))
  }
}

/** Estimated bytes of an audit in memory until its row group is written. */
const ROW_WEIGHT = 4_096

const byRows = (rows: Encoder<AuditsRows.Row>): Encoder<TaskAudit> => ({
  add: (audits) => rows.add(audits.flatMap(AuditsRows.rowsOf)),
  end: rows.end,
})

const documents = (): Encoder<TaskAudit> => {
  let before = '{"audits":['
  const begin = () => {
    const text = before
    before = ""
    return text
  }
  let first = true
  return {
    add: (audits) => {
      const lines = audits.map((audit) => {
        const separator = first ? "\n" : ",\n"
        first = false
        return separator + JSON.stringify(audit)
      })
      return begin() + lines.join("")
    },
    end: () => `${begin()}\n]}\n`,
  }
}
