/** The paired comparison of two scorings of the same tasks. */

import { Data, Either, Schema } from "effect"
import { groupBy } from "../../values/groupBy.ts"
import * as Decoding from "../../values/Options.ts"
import * as Sum from "../../values/Sum.ts"
import { type Score, verdictsOf } from "../audit/Scores.ts"
import * as Agreement from "./Agreement.ts"
import * as Interval from "./interval/Interval.ts"
import * as Passes from "./Passes.ts"
import type { NamedScoring } from "./SetScores.ts"
import * as Statistics from "./Statistics.ts"
import { holm } from "./trend/Holm.ts"

/** With fewer groups of pairs, the comparison is descriptive only: it has no interval and no p-value. */
export const MIN_PAIRS = Interval.MIN_GROUPS

const Side = Schema.Struct({
  name: Schema.String.annotations({ description: "The name as requested" }),
  label: Schema.String,
  scoreSetIds: Schema.Array(Schema.String),
  tasks: Schema.Int,
  unfinished: Schema.Int.annotations({ description: "Tasks whose score set still runs, or was interrupted" }),
  unscored: Schema.Int.annotations({ description: "Pairs with something undecided on this side" }),
  rubrics: Schema.Array(Schema.String).annotations({ description: "Digests of the rubrics that scored the pairs" }),
  critics: Schema.Array(Schema.String).annotations({ description: "The critics that scored the pairs" }),
  mean: Schema.NullOr(Schema.Finite).annotations({ description: "Mean over the pairs" }),
  passed: Schema.Int.annotations({ description: "Pairs with a value above `passAbove`" }),
})

const Pair = Schema.Struct({
  taskId: Schema.String,
  a: Schema.Finite,
  b: Schema.Finite,
  difference: Schema.Finite.annotations({ description: "b − a" }),
})

/** Two scorings of the same tasks, compared pair by pair. */
export const Comparison = Schema.Struct({
  a: Side,
  b: Side,
  value: Schema.Literal("net", "normalized").annotations({ description: "Which value of a score is compared" }),
  passAbove: Schema.Finite,
  pairs: Schema.Array(Pair).annotations({ description: "Tasks of both sides, in the order of A" }),
  onlyInA: Schema.Array(Schema.String),
  onlyInB: Schema.Array(Schema.String),
  incomparable: Schema.Array(Schema.String).annotations({
    description: "Tasks of both sides where one has no such value, because nothing is possible by its rubric",
  }),
  exact: Schema.Boolean.annotations({
    description:
      "Whether both critics would repeat their decisions. Models would not, nor would rules that may give up",
  }),
  otherRubrics: Schema.Int.annotations({
    description: "Pairs that the sides score by different rubrics, so that the difference may come from the rubrics",
  }),
  groups: Schema.Int.annotations({
    description: "Groups of pairs that may depend on one another; equals the number of pairs if all are independent",
  }),
  descriptive: Schema.Boolean.annotations({ description: `Fewer than ${MIN_PAIRS} groups, so without a conclusion` }),
  difference: Schema.NullOr(Schema.Finite).annotations({ description: "Mean of b − a" }),
  interval: Schema.NullOr(Interval.Interval).annotations({
    description:
      "95 % interval of the mean difference over other tasks of the same kind; null if `noInterval` has a reason",
  }),
  noInterval: Schema.NullOr(Interval.Refusal).annotations({
    description: "Reason for the missing interval and p; null if they exist",
  }),
  wins: Schema.Int.annotations({ description: "Pairs with a higher value in B" }),
  ties: Schema.Int,
  losses: Schema.Int,
  p: Schema.NullOr(
    Schema.Struct({
      value: Schema.Finite,
      method: Schema.Literal("exact", "sampled").annotations({
        description: "`exact`: all patterns of flipped signs; `sampled`: random ones",
      }),
      adjusted: Schema.Finite.annotations({ description: "By Holm's correction for the number of comparisons" }),
    }),
  ).annotations({
    description:
      "Two-sided p-value against no difference: the larger one of flipping signs and the studentized bootstrap. It is below 0.05 exactly if the interval excludes 0; null if `noInterval` has a reason",
  }),
  correction: Schema.NullOr(
    Schema.Struct({
      method: Schema.Literal("holm"),
      comparisons: Schema.Int.annotations({ description: "Comparisons of values and of passes" }),
    }),
  ).annotations({
    description:
      "The correction behind `adjusted`. A comparison without p counts as p = 1; null if all is descriptive only",
  }),
  effectSize: Schema.NullOr(Schema.Finite).annotations({
    description:
      "Mean difference in its standard deviations (d_z); null with a single difference, or if all are the same",
  }),
  passes: Passes.Passes,
  agreement: Agreement.Agreement,
  changes: Schema.Array(
    Schema.Struct({
      measure: Schema.String,
      kind: Schema.Literal("reward", "punishment"),
      name: Schema.String,
      tasks: Schema.Int.annotations({ description: "Pairs with a different amount" }),
      difference: Schema.Finite.annotations({ description: "Its part of the mean difference of the net value" }),
    }),
  ).annotations({ description: "Rewards and punishments with different amounts, the largest part first" }),
}).annotations({ identifier: "Comparison", description: "Two scorings of the same tasks, paired by task" })

export type Comparison = typeof Comparison.Type

/**
 * The number of comparisons, of values and of passes, that have a p. Holm's correction also counts those without one.
 */
export const withP = ({ p, passes }: Comparison): number => [p, passes.p].filter((of) => of !== null).length

/** The two scorings have no task in common. */
export class NothingInCommon extends Data.TaggedError("NothingInCommon")<{
  readonly a: string
  readonly b: string
  readonly tasksOfA: number
  readonly tasksOfB: number
}> {
  override get message() {
    return (
      `"${this.a}" and "${this.b}" have no task in common: the first scores ${this.tasksOfA}, the second ${this.tasksOfB}. ` +
      "Scores are paired by task. Score the same tasks with both rubrics: `hindcast rescore --rubric FILE`."
    )
  }
}

/** Options of `compare`. */
export interface Options {
  /** Default: `net`. */
  readonly value?: "net" | "normalized"
  /** A task passes if its value is greater than this. Default: 0. */
  readonly passAbove?: number
  /**
   * The group of a task. Tasks of a group may depend on each other, so they are resampled and flipped together.
   * Default: a group for each task.
   */
  readonly groupOf?: (taskId: string) => string
  /** Seed of the random numbers. Default: 1. */
  readonly seed?: number
}

/** Schema of the options. */
export const Options = Decoding.of<Options>({
  optional: {
    value: Schema.Literal("net", "normalized"),
    passAbove: Schema.Finite.annotations({ description: "a finite number" }),
    groupOf: Decoding.callable<NonNullable<Options["groupOf"]>>(),
    seed: Decoding.Seed,
  },
})

/**
 * Compares two scorings task by task.
 *
 * The log is fixed: if the critics are exact, so is the difference for the compared tasks. The interval and the p-value
 * generalize to other tasks of the same kind. Nothing here shows how an agent would have acted under other rewards.
 */
export const compare = (
  a: NamedScoring,
  b: NamedScoring,
  input: Options = {},
): Either.Either<Comparison, Decoding.InvalidOptions | NothingInCommon> => {
  const decoded = Decoding.decode("compare", Options, input)
  if (Either.isLeft(decoded)) return Either.left(decoded.left)
  const options = decoded.right
  const { value = "net", passAbove = 0, groupOf = (taskId) => taskId, seed = 1 } = options
  const common = [...a.scores.keys()].filter((taskId) => b.scores.has(taskId))
  if (common.length === 0) {
    return Either.left(new NothingInCommon({ a: a.name, b: b.name, tasksOfA: a.scores.size, tasksOfB: b.scores.size }))
  }
  const pairs = common.flatMap((taskId) => {
    const [inA, inB] = [a.scores.get(taskId)?.[value], b.scores.get(taskId)?.[value]]
    if (!isNumber(inA) || !isNumber(inB)) return []
    return [{ taskId, a: inA, b: inB, difference: Sum.round(inB - inA) }]
  })
  const paired = new Set(pairs.map(({ taskId }) => taskId))
  const differences = pairs.map(({ difference }) => difference)
  const groups = [...groupBy(pairs, ({ taskId }) => [groupOf(taskId)]).values()]
  const descriptive = groups.length < MIN_PAIRS
  const passed = (score: number) => score > passAbove
  const passing = (pair: (typeof pairs)[number]) => ({ ...pair, inA: passed(pair.a), inB: passed(pair.b) })
  const { p, ...found } = Interval.estimate(
    groups.map((group) => group.map(({ difference }) => difference)),
    { seed },
  )
  const passes = Passes.compare(
    groups.map((group) => group.map(passing)),
    { seed },
  )
  const [adjusted = 1, adjustedOfPasses = 1] = holm([p?.value ?? 1, passes.p ?? 1])
  const side = (scored: NamedScoring, values: ReadonlyArray<number>) => ({
    name: scored.name,
    label: scored.label,
    scoreSetIds: scored.scoreSetIds,
    tasks: scored.scores.size,
    unfinished: [...scored.scores.values()].filter(({ finished }) => !finished).length,
    unscored: [...paired].filter((taskId) => (scored.scores.get(taskId)?.unscored.length ?? 0) > 0).length,
    rubrics: [...new Set([...paired].flatMap((taskId) => rubricOf(scored, taskId) ?? []))],
    critics: [...new Set([...paired].flatMap((taskId) => scored.scores.get(taskId)?.critic ?? []))],
    mean: meanOf(values),
    passed: values.filter(passed).length,
  })
  return Either.right({
    a: side(
      a,
      pairs.map((pair) => pair.a),
    ),
    b: side(
      b,
      pairs.map((pair) => pair.b),
    ),
    value,
    passAbove,
    pairs,
    onlyInA: [...a.scores.keys()].filter((taskId) => !b.scores.has(taskId)),
    onlyInB: [...b.scores.keys()].filter((taskId) => !a.scores.has(taskId)),
    incomparable: common.filter((taskId) => !paired.has(taskId)),
    exact: [a, b].every(({ scores }) => [...paired].every((taskId) => isExact(scores.get(taskId)?.critic ?? ""))),
    otherRubrics: pairs.filter(({ taskId }) => {
      const [ofA, ofB] = [rubricOf(a, taskId), rubricOf(b, taskId)]
      return ofA !== null && ofB !== null && ofA !== ofB
    }).length,
    groups: groups.length,
    descriptive,
    difference: meanOf(differences),
    ...found,
    wins: differences.filter((difference) => difference > 0).length,
    ties: differences.filter((difference) => difference === 0).length,
    losses: differences.filter((difference) => difference < 0).length,
    p: p === null ? null : { ...p, adjusted },
    correction: descriptive ? null : { method: "holm", comparisons: 2 },
    effectSize: Statistics.effectSize(differences),
    passes: {
      gained: pairs.filter((pair) => !passed(pair.a) && passed(pair.b)).map(({ taskId }) => taskId),
      lost: pairs.filter((pair) => passed(pair.a) && !passed(pair.b)).map(({ taskId }) => taskId),
      ...passes,
      adjusted: passes.p === null ? null : adjustedOfPasses,
    },
    agreement: Agreement.of(
      pairs.map((pair) => ({
        inA: isDecided(a, pair.taskId) ? passed(pair.a) : null,
        inB: isDecided(b, pair.taskId) ? passed(pair.b) : null,
      })),
    ),
    changes: changesOf(a, b, [...paired]),
  })
}

/** Kinds of critics that always decide the same events the same way. */
const EXACT_CRITICS = ["rule@", "plugin:", "environment", "nobody"]

const isExact = (critic: string): boolean =>
  critic.split("+").every((name) => EXACT_CRITICS.some((kind) => name.startsWith(kind)))

/** Whether a side has decided all of a task's rewards and punishments. */
const isDecided = ({ scores }: NamedScoring, taskId: string): boolean => {
  const score = scores.get(taskId)
  return score?.finished === true && score.unscored.length === 0
}

const isNumber = (value: unknown): value is number => Number.isFinite(value)

const rubricOf = ({ scores }: NamedScoring, taskId: string): string | null => scores.get(taskId)?.rubricDigest ?? null

const meanOf = (values: ReadonlyArray<number>): number | null =>
  values.length === 0 ? null : Sum.round(Sum.of(values) / values.length)

/**
 * The contribution of each reward and punishment to the mean difference. More frequent punishments contribute
 * negatively.
 */
const changesOf = (a: NamedScoring, b: NamedScoring, taskIds: ReadonlyArray<string>): Comparison["changes"] => {
  const totals = new Map<string, Omit<Comparison["changes"][number], "difference"> & { sum: Sum.Sum }>()
  for (const taskId of taskIds) {
    const before = amountsOf(a.scores.get(taskId))
    const after = amountsOf(b.scores.get(taskId))
    for (const [key, verdict] of new Map([...before, ...after])) {
      const by = Sum.round((after.get(key)?.amount ?? 0) - (before.get(key)?.amount ?? 0))
      if (by === 0) continue
      const { measure, kind, name } = verdict
      const total = totals.get(key) ?? { measure, kind, name, tasks: 0, sum: Sum.zero }
      const sum = Sum.add(total.sum, kind === "reward" ? by : -by)
      totals.set(key, { ...total, tasks: total.tasks + 1, sum })
    }
  }
  return [...totals.values()]
    .map(({ sum, ...change }) => ({ ...change, difference: Sum.round(Sum.value(sum) / taskIds.length) }))
    .sort((one, other) => Math.abs(other.difference) - Math.abs(one.difference))
}

const amountsOf = (score: Score | undefined) =>
  new Map(
    (score === undefined ? [] : verdictsOf(score)).map(
      ({ measure, kind, name, amount }) =>
        [JSON.stringify([measure, kind, name]), { measure, kind, name, amount }] as const,
    ),
  )
