/** Answers `/api/compare`, `/api/differences` and `/api/runs`. */

import { Data, Effect, Schema } from "effect"
import * as CommonScores from "../../projections/comparison/CommonScores.ts"
import * as ContentDifference from "../../projections/timetravel/alignment/ContentDifference.ts"
import * as RunNames from "../../projections/timetravel/alignment/RunNames.ts"
import type { TimelineHistory } from "../../projections/timetravel/TimelineHistory.ts"
import { type Pair, TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import type { RunOfTask } from "../../projections/timetravel/table/RunTable.ts"
import * as RunTable from "../../projections/timetravel/table/RunTable.ts"
import { oneLine } from "../../values/PlainText.ts"
import * as RewardRows from "../course/RewardRows.ts"
import * as TaskRows from "../course/TaskRows.ts"
import { StudioLog } from "../StudioLog.ts"
import type { Comparison } from "../wire/Asking.ts"
import type { RunTable as Wire } from "../wire/Runs.ts"
import type { CommonScore } from "../wire/Scoring.ts"
import type { TaskHead } from "../wire/Task.ts"
import * as Events from "./Events.ts"
import * as Query from "./Query.ts"
import * as Tasks from "./Tasks.ts"

export const CompareQuery = Schema.Struct({
  a: Schema.NonEmptyString,
  b: Schema.NonEmptyString,
  scores: Query.OptionalText,
})

export class RunInvalid extends Data.TaggedError("RunInvalid")<{ readonly run: string }> {
  override get message() {
    return `Expected a timeline and a task, such as main/task-0015, found ${JSON.stringify(this.run)}.`
  }
}

export const compare = ({ a, b, scores: wanted }: typeof CompareQuery.Type) =>
  Effect.gen(function* () {
    const [runA, runB] = [yield* runOf(a), yield* runOf(b)]
    const [inA, inB] = [yield* sideOf(runA, wanted), yield* sideOf(runB, wanted)]
    const scores = CommonScores.of([inA.head.sets, inB.head.sets])
    const counting = [inA.head.score?.set, inB.head.score?.set]
    const scored = CommonScores.chosen(scores, wanted === undefined ? [] : counting.filter(isGiven), counting)
    const [setA, setB] = scored?.sets ?? []
    const { pairs, divergence, split, shared, sentence, names } = yield* (yield* TimeTravel).align(runA, runB)
    const [labelA = "A", labelB = "B"] = RunNames.labelsOf(names)
    return {
      a: inA.head,
      b: inB.head,
      pairs: pairs.map(rowOf),
      divergence,
      split,
      sentence,
      labels: [labelA, labelB],
      shared,
      scores,
      scored,
      rewards: { a: yield* rewardsOf(inA, setA), b: yield* rewardsOf(inB, setB) },
      notes: [
        ...(inA.head.goal === inB.head.goal ? [] : ["Their goals differ."]),
        ...(wanted === undefined || counting.some(isGiven) ? [] : [`Neither has a score by ${oneLine(wanted)}.`]),
        ...notesOf(scored, [labelA, labelB]),
      ],
    } satisfies Comparison
  })

/** A timeline's name has no slash. */
const runOf = (run: string) => {
  const slash = run.indexOf("/")
  return slash <= 0 || slash === run.length - 1
    ? new RunInvalid({ run })
    : Effect.succeed({ timeline: run.slice(0, slash), taskId: run.slice(slash + 1) })
}

interface Side {
  readonly past: TimelineHistory
  readonly head: TaskHead
}

const isGiven = (set: string | undefined): set is string => set !== undefined

const sideOf = ({ timeline, taskId }: RunOfTask, scores: string | undefined) =>
  Effect.gen(function* () {
    const past: TimelineHistory = yield* (yield* StudioLog).past(timeline)
    return { past, head: yield* Tasks.headOf(past, taskId, scores) } satisfies Side
  })

const rewardsOf = ({ past, head }: Side, set: string | null | undefined) =>
  set == null ? Effect.succeed([]) : RewardRows.ofSet(past, head.id, set)

const CODE = { same: "=", changed: "~", onlyInA: "a", onlyInB: "b" } as const

const rowOf = ({ kind, a, b }: Pair) => [CODE[kind], a?.position ?? 0, b?.position ?? 0] as const

const notesOf = (scored: CommonScore | null, labels: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (scored === null) return ["Neither is scored."]
  const told = (hold: (index: number) => boolean) => labels.filter((_, index) => hold(index)).join(" and ")
  const [lacking, unfinished] = [
    told((index) => scored.sets[index] == null),
    told((index) => scored.unfinished[index] === true),
  ]
  return [
    ...(lacking === "" ? [] : [`${lacking} is not scored by ${scored.rubric}, so their scores cannot be compared.`]),
    ...(unfinished === "" ? [] : [`The scoring of ${unfinished} is not finished.`]),
  ]
}

/** Maximum number of rows in one request. */
const MAX_ROWS = 100

const ROWS = /^(?:\d{1,15}-\d{1,15})(?:,\d{1,15}-\d{1,15})*$/

export const DifferencesQuery = Schema.Struct({
  rows: Schema.String.pipe(
    Schema.filter((text) =>
      ROWS.test(text) && text.split(",").length <= MAX_ROWS
        ? undefined
        : `expected at most ${MAX_ROWS} pairs of positions, such as 12-34,15-36`,
    ),
  ),
})

/** What differs between the events of rows. */
export const differences = ({ rows }: typeof DifferencesQuery.Type) =>
  Effect.forEach(rows.split(","), (row) =>
    Effect.gen(function* () {
      const [a = 0, b = 0] = row.split("-").map(Number)
      const [inA, inB] = [yield* Events.eventAt({ position: a }), yield* Events.eventAt({ position: b })]
      return ContentDifference.between(inA, inB)
    }),
  )

export const RunsQuery = Schema.Struct({
  runs: Schema.parseJson(Schema.Array(Schema.NonEmptyString).pipe(Schema.maxItems(RunTable.MAX_RUNS))),
  scores: Query.OptionalText,
})

/** The score sets of a scoring that judged these tasks. */
const setsBy = (scores: string, runs: ReadonlyArray<RunOfTask>) =>
  Effect.map(
    Effect.forEach(runs, ({ timeline, taskId }) =>
      Effect.gen(function* () {
        const past = yield* (yield* StudioLog).past(timeline)
        return (yield* TaskRows.of(past, scores)).standings.scoreOf(taskId)?.set
      }),
    ),
    (sets) => sets.filter(isGiven),
  )

/** Several tasks in a table, compared with the first. */
export const runs = ({ runs: asked, scores }: typeof RunsQuery.Type) =>
  Effect.gen(function* () {
    const runs = yield* Effect.forEach(asked, runOf)
    const table = yield* RunTable.load(runs, scores === undefined ? [] : yield* setsBy(scores, runs))
    const shown = yield* Effect.forEach(table.runs, (run) =>
      run.row.outcome === "open"
        ? Effect.gen(function* () {
            const past = yield* (yield* StudioLog).past(run.timeline)
            const { state } = yield* (yield* TaskRows.of(past)).state(run.taskId)
            return { ...run, row: { ...run.row, outcome: state } }
          })
        : Effect.succeed(run),
    )
    return { ...table, runs: shown } satisfies Wire
  })
