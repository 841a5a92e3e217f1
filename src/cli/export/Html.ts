/** The command `hindcast export html`: a report of all tasks, or of one, as one HTML page that works offline. */
import * as path from "node:path"
import { Command } from "@effect/cli"
import { Effect, Option, Stream } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as LogPage from "../../html/LogPage.ts"
import * as TaskPage from "../../html/TaskPage.ts"
import * as TaskPresent from "../../kernel/recovery/TaskPresent.ts"
import { VERSION } from "../../kernel/versions.ts"
import * as Audits from "../../projections/audit/Audits.ts"
import * as TaskAudit from "../../projections/audit/TaskAudit.ts"
import * as WhyFailed from "../../projections/explanation/WhyFailed.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import * as ConfirmationWaitTimes from "../../projections/report/ConfirmationWaitTimes.ts"
import * as LogReport from "../../projections/report/LogReport.ts"
import type { ScoreChoice } from "../../projections/report/ScoreChoice.ts"
import * as TaskReport from "../../projections/report/TaskReport.ts"
import * as EnvironmentState from "../../projections/state/EnvironmentState.ts"
import * as PluginRegistry from "../../projections/state/PluginRegistry.ts"
import * as Worlds from "../../projections/state/Worlds.ts"
import type { Activity } from "../../projections/summary/Activity.ts"
import * as EventSummary from "../../projections/summary/EventSummary.ts"
import * as TimeTravel from "../../projections/timetravel/TimeTravel.ts"
import { common, optionalText } from "../command/CommonOptions.ts"
import * as Ids from "../command/Ids.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as TimelineOption from "../command/TimelineOption.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"
import { count, size } from "../terminal/Text.ts"
import * as V8Tuning from "../terminal/V8Tuning.ts"
import * as ExportSummary from "./ExportSummary.ts"
import * as OutputFile from "./OutputFile.ts"
import * as OutputFormat from "./OutputFormat.ts"
import * as ScoreOption from "./ScoreOption.ts"
import * as StudioPage from "./StudioPage.ts"

export const html = Command.make(
  "html",
  {
    ...common,
    ...OutputFile.outputOptions,
    scores: ScoreOption.scores,
    task: optionalText("task", "Report only on this task, with all its events: an id, or its beginning or end"),
    timeline: TimelineOption.timeline,
    decrypt: OpenLog.decrypt,
    studio: StudioPage.studio,
  },
  ({ log: named, json, output, force, scores, task, timeline, studio, decrypt }) =>
    Effect.gen(function* () {
      yield* OutputFormat.check("--output", output, "html")
      yield* V8Tuning.limitHeapGrowth
      const log = yield* EventLog
      const head = yield* log.head
      const choice = yield* ScoreOption.resolve(scores)
      const target = { file: output, force, log: log.name }
      const source = {
        log: path.basename(log.name),
        head: head.position,
        by: `Hindcast ${VERSION}`,
        ...(yield* StudioPage.linksTo(studio, { output, timeline: log.timeline })),
      }
      if (Option.isSome(task)) {
        const { report, chunks } = yield* taskPage(yield* Ids.task(task.value), choice, source)
        const written = yield* OutputFile.writeAll(target, Stream.fromIterable(chunks))
        const summary = { ...written, scores: choice.name, taskId: report.audit.taskId, head }
        const line = `Wrote a report of task ${summary.taskId} (${size(written.bytes)}) to ${output}.`
        return yield* ExportSummary.printSummary({ output, json }, summary, line)
      }
      const builder = LogReport.begin(choice)
      const report = yield* ProgressLine.during({ verb: "read", unit: "events", json }, (onProgress) =>
        Effect.gen(function* () {
          yield* Audits.forEach(builder.addAudit, { until: head.position, onProgress })
          const query = { timeline: log.timeline, types: ConfirmationWaitTimes.TYPES, until: head.position }
          yield* Pages.forEach(log.readPage, query, (page) => page.forEach(builder.addConfirmationEvent))
          return builder.report()
        }),
      )
      const { open, worst } = report.listed
      const endings = {
        activities: yield* activitiesOf(open),
        worst: yield* Effect.forEach(worst, (taskId) => whyOf(taskId, null, choice)),
      }
      const written = yield* OutputFile.writeAll(target, Stream.fromIterable(LogPage.pieces(report, source, endings)))
      const summary = { ...written, scores: choice.name, tasks: report.tasks, scored: report.scored, head }
      const line = `Wrote a report of ${count(report.tasks, "task")} (${size(written.bytes)}) to ${output}: one page, which every browser opens offline.${ScoreOption.noneScored(choice, report.tasks, report.scored)}`
      yield* ExportSummary.printSummary({ output, json }, summary, line)
    }).pipe(TimelineOption.provide(timeline), Effect.provide(OpenLog.forSharing(named, { decrypted: decrypt }))),
).pipe(Command.withDescription("Write a report of all tasks as one HTML page with charts that opens offline"))

export const taskPage = (taskId: string, choice: ScoreChoice, source: Parameters<typeof TaskPage.pieces>[1]) =>
  Effect.gen(function* () {
    const report = yield* ofTask(taskId, choice)
    const activity = yield* TaskPresent.of(taskId)
    const ending = { activity, why: yield* whyOf(taskId, activity, choice) }
    return { report, chunks: TaskPage.pieces(report, source, yield* worldsOf(report.audit), ending) }
  })

/** The same explanation as that of `hindcast why` and Studio. */
const whyOf = (taskId: string, activity: Activity | null, choice: ScoreChoice) =>
  Effect.provide(WhyFailed.load(taskId, { activity }, choice), TimeTravel.layer)

/** The activities of open tasks. */
const activitiesOf = (open: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const [look, log] = [yield* TaskPresent.look, yield* EventLog]
    const found = new Map<string, Activity>()
    for (const taskId of open) {
      const activity = yield* look(log, taskId)
      if (activity !== null) found.set(taskId, activity)
    }
    return found
  })

const ofTask = (taskId: string, choice: ScoreChoice) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const audit = yield* TaskAudit.load(taskId)
    const builder = TaskReport.begin(audit, choice.pick(audit.scores), EventSummary.of)
    const query = { timeline: log.timeline, taskId, until: audit.range.to }
    yield* Pages.forEach(log.readPage, query, (page) => page.forEach(builder.add))
    return builder.report()
  })

const worldsOf = ({ taskId, range }: TaskAudit.TaskAudit) =>
  Effect.gen(function* () {
    const projector = yield* Projector
    const state = yield* projector.stateAt(EnvironmentState.projection, range.to)
    const registry = yield* projector.stateAt(PluginRegistry.projection, range.to)
    return Worlds.worldsOf(EnvironmentState.taskScope(state, taskId), registry)
  })
