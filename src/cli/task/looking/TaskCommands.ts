/** The commands `hindcast task show` and `hindcast task bundle`. */
import * as path from "node:path"
import { Command } from "@effect/cli"
import { Effect } from "effect"
import { EventLog } from "../../../events/log/EventLog.ts"
import { Bundles } from "../../../events/maintenance/Bundles.ts"
import * as Pages from "../../../events/read/Pages.ts"
import type { Event } from "../../../events/vocabulary/Event.ts"
import type { CoreName } from "../../../events/vocabulary/Vocabulary.ts"
import * as TaskPresent from "../../../kernel/recovery/TaskPresent.ts"
import * as AnnotationList from "../../../projections/annotations/AnnotationList.ts"
import * as TaskAudit from "../../../projections/audit/TaskAudit.ts"
import * as ScoreChoice from "../../../projections/report/ScoreChoice.ts"
import { BadInput } from "../../command/BadInput.ts"
import { argument, common, TASK, text } from "../../command/CommonOptions.ts"
import * as Ids from "../../command/Ids.ts"
import * as OpenLog from "../../command/OpenLog.ts"
import * as Output from "../../command/Output.ts"
import * as TimelineOption from "../../command/TimelineOption.ts"
import * as OutputFormat from "../../export/OutputFormat.ts"
import * as ScoreOption from "../../export/ScoreOption.ts"
import * as TaskPage from "../../pages/audit/TaskPage.ts"
import { at, count } from "../../terminal/Text.ts"

const ERRORS: ReadonlyArray<CoreName> = [
  ...(["CommandFailed", "CommandDenied", "CommandOutcomeUnknown", "ModelFailed", "SensorFailed"] as const),
]

const showOptions = {
  ...common,
  task: argument("task", TASK),
  scores: ScoreOption.scores,
  timeline: TimelineOption.timeline,
}

export const show = Command.make("show", showOptions, ({ log: named, json, task, scores, timeline }) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const taskId = yield* Ids.task(task)
    const audit = yield* TaskAudit.load(taskId)
    let last: Event | undefined
    yield* Pages.forEach(log.readPage, { timeline: log.timeline, taskId, types: ERRORS }, (page) => {
      last = page.at(-1) ?? last
    })
    const error = last ?? null
    const choice = yield* ScoreOption.resolve(scores)
    const score = choice.pick(audit.scores)
    const activity = yield* TaskPresent.of(taskId)
    const next = TaskPage.next(audit, { error, activity })
    const annotations = (yield* AnnotationList.load(log)).filter(({ subject }) => subject.task === taskId)
    const chosen = score === null ? null : { scoreSetId: score.scoreSetId, label: score.label, net: score.net }
    yield* Output.show(json, { audit, activity, score: chosen, error, annotations, next }, (style) =>
      TaskPage.lines(style, { audit, activity, score, wanted: ScoreChoice.inWords(choice), error, annotations }, next),
    )
  }).pipe(TimelineOption.provide(timeline), Effect.provide(OpenLog.forEvents(named))),
).pipe(Command.withDescription("One task on a screen: goal, outcome, times, cost, scores, last error, next commands"))

const NOTHING = "Nothing was written."

export const bundle = Command.make(
  "bundle",
  {
    ...common,
    task: argument("task", TASK),
    out: text("out", "The log to create, a file that must not exist"),
  },
  ({ log, json, task, out }) =>
    Effect.gen(function* () {
      yield* OutputFormat.check("--out", out, "log")
      const bundled = yield* (yield* Bundles)
        .bundle({ taskId: yield* Ids.task(task), file: path.resolve(out) })
        .pipe(
          Effect.catchTag(
            "NotBundled",
            ({ expected, found }) => new BadInput({ input: `--out ${out}`, expected, found, advice: NOTHING }),
          ),
        )
      const { events, file, head } = bundled
      const added = count(head.position - events, "event")
      yield* Output.show(json, bundled, (style) => [
        `${style.good("Bundled")} ${count(events, "event")} in ${file}: a log of its own, for every command that takes --log.`,
        `It has its own positions, ${at(1)} to ${at(head.position)}. The positions of the copied events in the source are recorded in ${added} (TaskBundled) before them.`,
      ])
    }).pipe(Effect.provide(OpenLog.forEvents(log))),
).pipe(
  Command.withDescription(
    "Copy one task, with its scores and the events that it depends on, into a small log of its own",
  ),
)
