/**
 * The command `hindcast export transitions`: every step as state, action, reward and next state, for reinforcement
 * learning.
 */
import * as path from "node:path"
import { Command, Options } from "@effect/cli"
import { Effect, Stream } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as Audits from "../../projections/audit/Audits.ts"
import type { TaskAudit } from "../../projections/audit/TaskAudit.ts"
import { encode } from "../../projections/exports/Encoder.ts"
import * as Transitions from "../../projections/exports/Transitions.ts"
import * as TransitionsTable from "../../projections/exports/TransitionsTable.ts"
import type { ScoreChoice } from "../../projections/report/ScoreChoice.ts"
import { common, oneOf } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as TimelineOption from "../command/TimelineOption.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"
import { count, size } from "../terminal/Text.ts"
import * as V8Tuning from "../terminal/V8Tuning.ts"
import * as ExportSummary from "./ExportSummary.ts"
import * as OutputFile from "./OutputFile.ts"
import * as OutputFormat from "./OutputFormat.ts"
import * as ScoreOption from "./ScoreOption.ts"

/** The first is the default. */
export const FORMATS = ["jsonl", "parquet"] as const

export const transitions = Command.make(
  "transitions",
  {
    ...common,
    ...OutputFile.outputOptions,
    scores: ScoreOption.scores,
    format: oneOf("format", FORMATS).pipe(
      Options.withDescription("jsonl or parquet. Default: by the end of the file's name, jsonl if it has none"),
      Options.optional,
    ),
    timeline: TimelineOption.timeline,
    decrypt: OpenLog.decrypt,
  },
  ({ log: named, json, output, force, scores, format: typed, timeline, decrypt }) =>
    Effect.gen(function* () {
      yield* V8Tuning.limitHeapGrowth
      const log = yield* EventLog
      const head = yield* log.head
      const format = yield* OutputFormat.choose(output, typed, FORMATS)
      const choice = yield* ScoreOption.resolve(scores)
      const counts = { tasks: 0, steps: 0, withoutSteps: 0, unscored: 0 }
      const written = yield* ProgressLine.during({ verb: "read", unit: "events", json }, (onProgress) => {
        const pages = Audits.stream({ until: head.position, onProgress }).pipe(
          // One task at a time: its steps stay in memory until its last event.
          Stream.rechunk(1),
          Stream.mapEffect((audit) => ofTask(audit, choice)),
          Stream.tap(({ steps, scored }) =>
            Effect.sync(() => {
              counts.tasks += 1
              counts.steps += steps.length
              counts.withoutSteps += steps.length === 0 ? 1 : 0
              counts.unscored += scored ? 0 : 1
            }),
          ),
          Stream.map(({ steps }) => steps),
        )
        const about = {
          "hindcast.log": path.basename(log.name),
          "hindcast.head": String(head.position),
          "hindcast.scores": choice.name,
        }
        const encoder = format === "parquet" ? () => TransitionsTable.table(about) : TransitionsTable.lines
        return OutputFile.writeAll(
          { file: output, force, log: log.name, binary: format === "parquet" },
          encode(encoder, pages),
        )
      })
      const summary = { ...written, format, scores: choice.name, ...counts, head }
      yield* ExportSummary.printSummary({ output, json }, summary, summaryLine(summary))
    }).pipe(TimelineOption.provide(timeline), Effect.provide(OpenLog.forSharing(named, { decrypted: decrypt }))),
).pipe(
  Command.withDescription(
    "Write every step of every task for learning: state, action, reward, next state, done, truncated (Parquet, JSON Lines)",
  ),
)

interface Summary extends OutputFile.Written {
  readonly scores: string
  readonly tasks: number
  readonly steps: number
  readonly withoutSteps: number
  readonly unscored: number
}

const summaryLine = ({ steps, tasks, file, bytes, scores, withoutSteps, unscored }: Summary): string =>
  [
    `Exported ${count(steps, "step")} of ${count(tasks, "task")} (${size(bytes)}) to ${file}, rewards by ${scores}.`,
    ...(withoutSteps === 0 ? [] : [`${count(withoutSteps, "task")} had no step.`]),
    ...(unscored === 0 ? [] : [`${count(unscored, "task")} had no such score: the rewards of their steps are 0.`]),
  ].join(" ")

/** A task's steps, with the rewards of the chosen scores. */
export const ofTask = (audit: TaskAudit, choice: ScoreChoice) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const score = choice.pick(audit.scores)
    const builder = Transitions.begin(audit, score)
    const query = { timeline: log.timeline, taskId: audit.taskId, until: audit.range.to }
    yield* Pages.forEach(log.readPage, query, (page) => {
      for (const event of page) builder.add(event)
    })
    return { steps: [...builder.transitions()], scored: score !== null }
  })
