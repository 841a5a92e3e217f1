import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import * as Rubric from "../kernel/Rubric.ts"
import { Scoring } from "../kernel/Scoring.ts"
import * as TaskAudit from "../projections/TaskAudit.ts"
import { common } from "./CommonOptions.ts"
import * as Ids from "./Ids.ts"
import * as OpenLog from "./OpenLog.ts"
import * as Output from "./Output.ts"
import * as ScoreChange from "./render/ScoreChange.ts"

const options = {
  rubric: Options.text("rubric").pipe(Options.withDescription("A rubric: a YAML or JSON file of measures")),
  task: Options.text("task").pipe(
    Options.withDescription("Score this task. Default: every closed one"),
    Options.repeated,
  ),
  label: Options.text("label").pipe(
    Options.withDescription("What the new score set is called. Default: the rubric's name"),
    Options.optional,
  ),
}

/** `hindcast rescore` */
export const rescore = Command.make("rescore", { ...common, ...options }, ({ log, json, rubric, task, label }) =>
  Effect.gen(function* () {
    const loaded = yield* Rubric.load(rubric)
    const tasks = yield* Effect.forEach(task, Ids.task)
    const summary = yield* (yield* Scoring).rescore({
      rubric: loaded,
      onProgress: progress,
      ...(tasks.length === 0 ? {} : { tasks }),
      ...(Option.isNone(label) ? {} : { label: label.value }),
    })
    const audits = yield* Effect.forEach(summary.taskIds, TaskAudit.load)
    const changes = audits.map((audit) => ScoreChange.of(audit, summary.scoreSetId))
    const document = { scoreSetId: summary.scoreSetId, label: summary.label, tasks: changes }
    yield* Output.show(json, document, (style) => ScoreChange.lines(style, summary, changes))
  }).pipe(Effect.provide(OpenLog.forWriting(log))),
).pipe(Command.withDescription("Score past tasks again by another rubric; nothing is run, and earlier scores stand"))

/** One line that is written over, on a terminal only. */
const progress = (done: number, all: number) =>
  Effect.sync(() => {
    if (process.stderr.isTTY) process.stderr.write(`\rscored ${done} of ${all}${done === all ? "\n" : ""}`)
  })
