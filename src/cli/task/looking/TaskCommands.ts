/** The commands `hindcast task show` and `hindcast task bundle`. */
import * as fs from "node:fs"
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
import * as BundledFiles from "../../../workspace/BundledFiles.ts"
import * as StoreFile from "../../../workspace/store/StoreFile.ts"
import { BadInput } from "../../command/BadInput.ts"
import { argument, common, flag, TASK, text } from "../../command/CommonOptions.ts"
import * as Ids from "../../command/Ids.ts"
import * as OpenLog from "../../command/OpenLog.ts"
import * as Output from "../../command/Output.ts"
import * as TimelineOption from "../../command/TimelineOption.ts"
import * as OutputFormat from "../../export/OutputFormat.ts"
import * as ScoreOption from "../../export/ScoreOption.ts"
import * as TaskPage from "../../pages/audit/TaskPage.ts"
import { at, count, size } from "../../terminal/Text.ts"

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

const documentOf = ({ file, contents, bytes, missing }: BundledFiles.CopiedFiles) => ({
  file,
  contents,
  bytes,
  missing,
})

const toldFiles = (files: BundledFiles.CopiedFiles | null): ReadonlyArray<string> => {
  if (files === null) return []
  const { file, contents, bytes, missing } = files
  const lacking =
    missing === 0
      ? ""
      : ` ${count(missing, "content")} that the task names ${missing === 1 ? "is" : "are"} no longer there.`
  return [
    `The contents of its recorded files are in ${file}: ${count(contents, "content")}, ${size(bytes)}.${lacking} Pass on both files.`,
  ]
}

export const bundle = Command.make(
  "bundle",
  {
    ...common,
    task: argument("task", TASK),
    out: text("out", "The log to create, a file that must not exist"),
    noFiles: flag("no-files", "Leave out the contents of recorded files"),
  },
  ({ log, json, task, out, noFiles }) =>
    Effect.gen(function* () {
      yield* OutputFormat.check("--out", out, "log")
      const taskId = yield* Ids.task(task)
      const target = path.resolve(out)
      const refused = ({ expected, found }: { readonly expected: string; readonly found: string }) =>
        new BadInput({ input: `--out ${out}`, expected, found, advice: NOTHING })
      if (!fs.existsSync(path.dirname(target)))
        return yield* refused({ expected: "a directory that exists", found: "none" })
      const contentsAt = StoreFile.fileOf(target)
      if (fs.existsSync(contentsAt))
        return yield* refused({ expected: "no contents of another log next to it", found: contentsAt })
      const files = noFiles
        ? undefined
        : yield* BundledFiles.copy({ taskId, log: OpenLog.filenameOf(log), bundle: target })
      const bundled = yield* (yield* Bundles)
        .bundle({ taskId, file: target })
        .pipe(Effect.catchTag("NotBundled", refused))
      yield* files?.keep ?? Effect.void
      const { events, file, head } = bundled
      const added = count(head.position - events, "event")
      const contents = files?.file === undefined ? null : documentOf(files)
      yield* Output.show(json, { ...bundled, files: contents }, (style) => [
        `${style.good("Bundled")} ${count(events, "event")} in ${file}: a log of its own, for every command that takes --log.`,
        ...toldFiles(contents),
        `It has its own positions, ${at(1)} to ${at(head.position)}. The positions of the copied events in the source are recorded in ${added} (TaskBundled) before them.`,
      ])
    }).pipe(Effect.scoped, Effect.provide(OpenLog.forEvents(log))),
).pipe(
  Command.withDescription(
    "Copy one task, with its scores and the events that it depends on, into a small log of its own",
  ),
)
