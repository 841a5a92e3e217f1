/** The command `hindcast align`: two tasks or timelines, event by event. */
import { Args, Command } from "@effect/cli"
import { Effect, Option } from "effect"
import { MAIN } from "../../events/log/EventLog.ts"
import * as TaskPresent from "../../kernel/recovery/TaskPresent.ts"
import * as SetScores from "../../projections/comparison/SetScores.ts"
import type { Decision, DecisionSplit, Pair } from "../../projections/timetravel/TimeTravel.ts"
import { TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import * as RunTable from "../../projections/timetravel/table/RunTable.ts"
import { BadInput } from "../command/BadInput.ts"
import { argument, common, optionalText } from "../command/CommonOptions.ts"
import * as LimitOption from "../command/LimitOption.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as RunOption from "../command/RunOption.ts"
import * as AlignmentPage from "../pages/time/AlignmentPage.ts"
import * as RunTablePage from "../pages/time/RunTablePage.ts"

const run = (name: string) => argument(name, RunOption.RUN)

const task = optionalText("task", "With two timelines: only events of this task")

const limit = LimitOption.limit("Show at most this many lines")

const others = run("more").pipe(Args.repeated)

const scores = optionalText(
  "scores",
  "With more than two tasks: compare by the rubric of this score set, label or pointer",
)

export const align = Command.make(
  "align",
  { ...common, a: run("a"), b: run("b"), others, task, scores, limit },
  ({ log, json, a, b, others, task, scores, limit }) =>
    Effect.gen(function* () {
      if (others.length > 0) {
        const table = yield* tableOf([a, b, ...others], task, Option.getOrUndefined(scores))
        return yield* Output.show(json, table, (style) => RunTablePage.lines(style, table))
      }
      if (Option.isSome(scores))
        return yield* new BadInput({
          input: "--scores",
          expected: "more than two tasks",
          found: "two",
          advice: "`hindcast compare` compares two scorings",
        })
      const [runA, runB] = [yield* RunOption.named(a, task), yield* RunOption.named(b, task)]
      const { pairs, divergence, split, decisions, ...aligned } = yield* (yield* TimeTravel).align(runA, runB)
      const diverging = divergence === null ? undefined : pairs[divergence]
      const document = {
        a: runA,
        b: runB,
        ...aligned,
        decisions: decisionsDocument(decisions),
        divergence: diverging === undefined ? null : pairDocument(diverging),
        pairs: pairs.map(pairDocument),
      }
      yield* Output.show(json, document, (style) =>
        AlignmentPage.lines(style, { a: runA, b: runB, pairs, divergence, split, decisions, ...aligned }, limit),
      )
    }).pipe(Effect.provide(OpenLog.forPast(log))),
).pipe(
  Command.withDescription(
    "Compare two tasks or timelines event by event, matched by their contents: the first decision that differs, then all other differences",
  ),
)

/** The runs in a table. Each is a task, by its name, or by its timeline and `--task`. */
export const tableOf = (names: ReadonlyArray<string>, task: Option.Option<string>, scores: string | undefined) =>
  Effect.gen(function* () {
    const wanted = scores === undefined ? [] : (yield* SetScores.resolve(scores)).scoreSetIds
    const runs = yield* Effect.forEach(names, (name) =>
      Effect.gen(function* () {
        const { taskId, timeline = MAIN } = yield* RunOption.named(name, task)
        if (taskId === undefined)
          return yield* new BadInput({
            input: "align",
            expected: "tasks, where there are more than two",
            found: `the timeline ${name}`,
            advice: `name the task, such as ${name}@TASK`,
          })
        return { timeline, taskId }
      }),
    )
    return yield* tableOfRuns(runs, wanted)
  })

/** The table, with the activity of open tasks. */
export const tableOfRuns = (runs: ReadonlyArray<RunTable.RunOfTask>, wanted: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const table = yield* RunTable.load(runs, wanted)
    const outcomes = table.runs.map((run) => ({ run, taskId: run.taskId, outcome: run.row.outcome }))
    const looked = yield* TaskPresent.ofRows(outcomes, ({ run }) => run.timeline)
    return { ...table, runs: looked.map(({ run, activity }) => ({ ...run, activity })) }
  })

/** The decisions in the JSON output: only the positions of their events. */
const decisionsDocument = ({ same, unreadable, before, worded, split }: DecisionSplit) => ({
  same,
  unreadable,
  before: positionsOf(before),
  worded: positionsOf(worded),
  split: positionsOf(split),
})

const positionsOf = (pair: { readonly a: Decision | null; readonly b: Decision | null } | null) =>
  pair === null ? null : { a: pair.a?.event.position ?? null, b: pair.b?.event.position ?? null }

/** A pair in the JSON output: only the positions of its events. */
const pairDocument = ({ kind, a, b }: Pair) => ({
  kind,
  a: a?.position ?? null,
  b: b?.position ?? null,
  type: (a ?? b)?.type,
})
