import * as path from "node:path"
import { Command, Options } from "@effect/cli"
import { Effect, Option, Stream } from "effect"
import { EventLog } from "../../events/EventLog.ts"
import * as Pages from "../../events/Pages.ts"
import { VERSION } from "../../kernel/versions.ts"
import * as Audits from "../../projections/Audits.ts"
import * as LogReport from "../../projections/report/LogReport.ts"
import type { ScoreChoice } from "../../projections/report/ScoreChoice.ts"
import * as TaskReport from "../../projections/report/TaskReport.ts"
import * as Waits from "../../projections/report/Waits.ts"
import * as TaskAudit from "../../projections/TaskAudit.ts"
import { common } from "../CommonOptions.ts"
import * as Heap from "../Heap.ts"
import * as Ids from "../Ids.ts"
import * as OpenLog from "../OpenLog.ts"
import * as ProgressLine from "../ProgressLine.ts"
import * as EventSummary from "../render/EventSummary.ts"
import { count, size } from "../render/Text.ts"
import * as LogPage from "../report/LogPage.ts"
import * as TaskPage from "../report/TaskPage.ts"
import * as Answer from "./Answer.ts"
import * as OutputFile from "./OutputFile.ts"
import * as ScoreOption from "./ScoreOption.ts"

/** `hindcast export html` */
export const html = Command.make(
  "html",
  {
    ...common,
    ...OutputFile.outputOptions,
    scores: ScoreOption.scores,
    task: Options.text("task").pipe(
      Options.withDescription(
        "A page of this task alone, with all that happened in it: an id, or its beginning or end",
      ),
      Options.optional,
    ),
  },
  ({ log: named, json, output, force, scores, task }) =>
    Effect.gen(function* () {
      yield* Heap.small
      const log = yield* EventLog
      const head = yield* log.head
      const choice = yield* ScoreOption.resolve(scores)
      const target = { file: output, force, log: log.name }
      const source = { log: path.basename(log.name), head: head.position, by: `Hindcast ${VERSION}` }
      if (Option.isSome(task)) {
        const report = yield* ofTask(yield* Ids.task(task.value), choice)
        const written = yield* OutputFile.writeAll(target, Stream.fromIterable(TaskPage.chunks(report, source)))
        const told = { ...written, scores: choice.name, taskId: report.audit.taskId, head }
        const line = `Wrote a report of task ${told.taskId} (${size(written.bytes)}) to ${output}.`
        return yield* Answer.tell({ output, json }, told, line)
      }
      const draft = LogReport.begin(choice)
      const report = yield* ProgressLine.during({ verb: "read", unit: "events", json }, (onProgress) =>
        Effect.gen(function* () {
          yield* Audits.forEach(draft.take, { until: head.position, onProgress })
          const query = { timeline: log.timeline, types: Waits.TYPES, until: head.position }
          yield* Pages.forEach(log.readPage, query, (page) => page.forEach(draft.takeConfirmation))
          return draft.report()
        }),
      )
      const written = yield* OutputFile.writeAll(target, Stream.fromIterable(LogPage.chunks(report, source)))
      const told = { ...written, scores: choice.name, tasks: report.tasks, scored: report.scored, head }
      const line = `Wrote a report of ${count(report.tasks, "task")} (${size(written.bytes)}) to ${output}: one page, which every browser opens without a network.`
      yield* Answer.tell({ output, json }, told, line)
    }).pipe(Effect.provide(OpenLog.forEvents(named))),
).pipe(Command.withDescription("Write a report of all tasks as one HTML page, with charts, which opens offline"))

/** The report of one task, from its audit and its own events. */
const ofTask = (taskId: string, choice: ScoreChoice) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const audit = yield* TaskAudit.load(taskId)
    const draft = TaskReport.begin(audit, choice.pick(audit.scores), EventSummary.of)
    const query = { timeline: log.timeline, taskId, until: audit.range.to }
    yield* Pages.forEach(log.readPage, query, (page) => page.forEach(draft.take))
    return draft.report()
  })
