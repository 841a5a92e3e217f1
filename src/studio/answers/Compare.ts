/** Answers `/api/compare`. */

import { Data, Effect, Schema } from "effect"
import * as RunNames from "../../projections/timetravel/alignment/RunNames.ts"
import type { TimelineHistory } from "../../projections/timetravel/TimelineHistory.ts"
import { type Pair, TimeTravel } from "../../projections/timetravel/TimeTravel.ts"
import { StudioLog } from "../StudioLog.ts"
import type { Comparison } from "../wire/Asking.ts"
import type { TaskHead } from "../wire/Task.ts"
import * as Query from "./Query.ts"
import * as Rewards from "./Rewards.ts"
import * as Tasks from "./Tasks.ts"

export const CompareQuery = Schema.Struct({
  a: Schema.NonEmptyString,
  b: Schema.NonEmptyString,
  scoresA: Query.OptionalText,
  scoresB: Query.OptionalText,
})

export class RunInvalid extends Data.TaggedError("RunInvalid")<{ readonly run: string }> {
  override get message() {
    return `Expected a timeline and a task, such as main/task-0015, found ${JSON.stringify(this.run)}.`
  }
}

export const compare = ({ a, b, scoresA, scoresB }: typeof CompareQuery.Type) =>
  Effect.gen(function* () {
    const [runA, runB] = [yield* runOf(a), yield* runOf(b)]
    const [inA, inB] = [yield* sideOf(runA, scoresA), yield* sideOf(runB, scoresB)]
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
      rewards: { a: inA.rewards, b: inB.rewards },
      notes: notesOf(inA, inB),
    } satisfies Comparison
  })

/** A timeline's name has no slash. */
const runOf = (run: string) => {
  const slash = run.indexOf("/")
  return slash <= 0 || slash === run.length - 1
    ? new RunInvalid({ run })
    : Effect.succeed({ timeline: run.slice(0, slash), taskId: run.slice(slash + 1) })
}

const sideOf = ({ timeline, taskId }: { readonly timeline: string; readonly taskId: string }, scores?: string) =>
  Effect.gen(function* () {
    const past: TimelineHistory = yield* (yield* StudioLog).past(timeline)
    const head = yield* Tasks.headOf(past, taskId)
    const set = scores ?? head.score?.set
    return { head, set, rewards: set === undefined ? [] : yield* Rewards.ofSet(past, taskId, set) }
  })

const CODE = { same: "=", changed: "~", onlyInA: "a", onlyInB: "b" } as const

const rowOf = ({ kind, a, b }: Pair) => [CODE[kind], a?.position ?? 0, b?.position ?? 0] as const

interface Side {
  readonly head: TaskHead
  readonly set: string | undefined
}

const notesOf = (a: Side, b: Side): ReadonlyArray<string> => {
  const unscored = [a, b].filter(({ set }) => set === undefined).map(({ head }) => `${head.timeline}/${head.id}`)
  const [setA, setB] = [a, b].map(({ head, set }) => head.sets.find((row) => row.set === set))
  return [
    ...(a.head.goal === b.head.goal ? [] : ["Their goals differ."]),
    ...unscored.map((run) => `${run} was not scored.`),
    ...(setA === undefined || setB === undefined || setA.rubricDigest === setB.rubricDigest
      ? []
      : ["They were scored by different rubrics: their rewards are not comparable."]),
    ...(setA === undefined || setB === undefined || setA.critic === setB.critic
      ? []
      : [`They were scored by different critics: ${setA.critic} and ${setB.critic}.`]),
  ]
}
