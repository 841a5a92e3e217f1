/** The trend of scores from task to task, per agent, with a test against chance. */

import { Data, Either, Schema } from "effect"
import { median } from "simple-statistics"
import { Position } from "../../events/vocabulary/Event.ts"
import * as DidYouMean from "../../values/DidYouMean.ts"
import { groupBy } from "../../values/groupBy.ts"
import * as Decoding from "../../values/Options.ts"
import * as Sum from "../../values/Sum.ts"
import type { NamedScoring } from "./SetScores.ts"
import { holm } from "./trend/Holm.ts"
import { type MannKendall, mannKendall } from "./trend/MannKendall.ts"
import { theilSen } from "./trend/TheilSen.ts"
import * as Value from "./trend/Value.ts"

/** A series with fewer scored tasks is descriptive only, without a test. */
export const MIN_TASKS = 10

/** The significance level. A trend with a larger p-value may be chance. */
export const LEVEL = 0.05

const Part = Schema.Struct({ tasks: Schema.Int, mean: Schema.Finite, median: Schema.Finite })

const Series = Schema.Struct({
  agent: Schema.String,
  tasks: Schema.Int.annotations({ description: "Closed tasks of the agent" }),
  scored: Schema.Int.annotations({ description: "Closed tasks with such a score: the points" }),
  unscored: Schema.Int.annotations({ description: "Closed tasks without such a score. They do not count as zero" }),
  undecided: Schema.Int.annotations({ description: "Points with an undecided part, which counts as 0" }),
  unfinished: Schema.Int.annotations({ description: "Points of a score set that still runs, or was interrupted" }),
  points: Schema.Array(
    Schema.Struct({
      taskId: Schema.String,
      number: Schema.Int.annotations({
        description: "Number of the task among the agent's closed tasks, from 1, by opening",
      }),
      at: Position.annotations({ description: "Position of the task's opening" }),
      value: Schema.Finite,
      median: Schema.Finite.annotations({ description: "Moving median of the points around this one" }),
    }),
  ),
  first: Schema.NullOr(Part).annotations({ description: "The first third of the points; null below three points" }),
  last: Schema.NullOr(Part).annotations({ description: "The last third" }),
  answer: Schema.Literal("better", "worse", "unclear", "descriptive").annotations({
    description: `Whether later tasks score higher: at ${LEVEL}, corrected for the number of series; \`descriptive\` with too few points for a conclusion`,
  }),
  tau: Schema.NullOr(Schema.Finite).annotations({
    description: "Kendall's τ-b of scores and time, −1 to 1; null if the series is descriptive only",
  }),
  p: Schema.NullOr(
    Schema.Struct({
      value: Schema.Finite,
      method: Schema.Literal("exact", "normal"),
      adjusted: Schema.Finite.annotations({ description: "By Holm's method, for all tested series" }),
    }),
  ).annotations({
    description: "Two-sided p-value of the Mann-Kendall test against no trend; null if the series is descriptive only",
  }),
  slope: Schema.NullOr(Schema.Struct({ perTask: Schema.Finite, low: Schema.Finite, high: Schema.Finite })).annotations({
    description: "Theil-Sen slope with its 95 % interval; null if the series is descriptive only",
  }),
})

/** The scores of one agent from task to task. */
export type Series = typeof Series.Type

/** The scores from task to task, per agent. */
export const Trend = Schema.Struct({
  scores: Schema.Struct({ name: Schema.String, label: Schema.String, scoreSetIds: Schema.Array(Schema.String) }),
  measure: Schema.NullOr(Schema.String).annotations({ description: "null for the whole score" }),
  value: Schema.Literal("net", "normalized"),
  series: Schema.Array(Series).annotations({ description: "In the order of the agents' first tasks" }),
}).annotations({ identifier: "Trend", description: "Scores from task to task, agent by agent" })

export type Trend = typeof Trend.Type

/** The scores of the selected tasks do not have this measure. */
export class MeasureNotFound extends Data.TaggedError("MeasureNotFound")<{
  readonly measure: string
  readonly scores: string
  readonly known: ReadonlyArray<string>
}> {
  override get message() {
    const [listed, more] = [this.known.slice(0, MAX_NAMES), this.known.length - MAX_NAMES]
    return `No measure "${this.measure}" is in the scores "${this.scores}" of these tasks. They have: ${listed.join(", ")}${more > 0 ? ` and ${more} more` : ""}.${DidYouMean.question(this.measure, this.known)}`
  }
}

/** Maximum number of names in a message. */
const MAX_NAMES = 20

/** None of the selected tasks has such a score. Score them first, or select others. */
export class NothingScored extends Data.TaggedError("NothingScored")<{
  readonly scores: string
  readonly tasks: number
}> {
  override get message() {
    const found =
      this.tasks === 0
        ? "no closed task"
        : `${this.tasks} closed ${this.tasks === 1 ? "task" : "tasks"} without a score`
    return `A trend needs tasks with scores of "${this.scores}": found ${found} in the selection. \`hindcast score ls\` lists the score sets, \`hindcast rescore --rubric FILE\` makes one.`
  }
}

/** The fields of a task that a trend needs. */
export interface Task {
  readonly taskId: string
  readonly agent: string
  /** The position at which it was opened. */
  readonly from: number
  readonly outcome: string | null
}

/** Options of `trend`. */
export interface Options {
  /** Default: `net`. */
  readonly value?: "net" | "normalized"
  /** `plugin/measure`. Default: the whole score. */
  readonly measure?: string
  /** The name of a task's series. Default: its agent. */
  readonly agentOf?: (task: Task) => string
}

/** Schema of the options. */
export const Options = Decoding.of<Options>({
  optional: {
    value: Schema.Literal("net", "normalized"),
    measure: Decoding.Text,
    agentOf: Decoding.callable<NonNullable<Options["agentOf"]>>(),
  },
})

/**
 * Tests whether later tasks score higher than earlier ones, per agent. Orders tasks by their opening and leaves out
 * open tasks, whose score can still change. A trend does not distinguish a better agent from easier goals or worlds.
 */
export const trend = (
  tasks: ReadonlyArray<Task>,
  { scores, ...named }: NamedScoring,
  options: Options = {},
): Either.Either<Trend, Decoding.InvalidOptions | MeasureNotFound | NothingScored> => {
  const decoded = Decoding.decode("trend", Options, options)
  if (Either.isLeft(decoded)) return Either.left(decoded.left)
  const { value = "net", measure, agentOf = ({ agent }) => agent } = decoded.right
  const closed = tasks.filter(({ outcome }) => outcome !== null).sort((a, b) => a.from - b.from)
  const scored = closed.flatMap(({ taskId }) => scores.get(taskId) ?? [])
  if (scored.length === 0) return Either.left(new NothingScored({ scores: named.name, tasks: closed.length }))
  const known = Value.measuresIn(scored)
  if (measure !== undefined && !known.includes(measure)) {
    return Either.left(new MeasureNotFound({ measure, scores: named.name, known }))
  }
  const valued = (task: Task) => {
    const score = scores.get(task.taskId)
    return score === undefined ? undefined : Value.of(score, value, measure)
  }
  const agents = [...groupBy(closed, (task) => [agentOf(task)])].map(([agent, agentTasks]) =>
    plot(agent, agentTasks, valued),
  )
  return Either.right({ scores: named, measure: measure ?? null, value, series: tested(agents) })
}

type Plotted = Omit<Series, "answer" | "tau" | "p" | "slope">

const plot = (agent: string, tasks: ReadonlyArray<Task>, valued: (task: Task) => Value.Valued | undefined): Plotted => {
  const points = tasks.flatMap((task, index) => {
    const found = valued(task)
    return found === undefined ? [] : [{ ...task, ...found, number: index + 1 }]
  })
  const values = points.map(({ value }) => value)
  const medians = movingMedian(values)
  const third = Math.floor(values.length / 3)
  return {
    agent,
    tasks: tasks.length,
    scored: points.length,
    unscored: tasks.length - points.length,
    undecided: points.filter(({ undecided }) => undecided).length,
    unfinished: points.filter(({ finished }) => !finished).length,
    points: points.map(({ taskId, number, from, value }, index) => ({
      taskId,
      number,
      at: from,
      value,
      median: medians[index] ?? value,
    })),
    first: partOf(values.slice(0, third)),
    last: partOf(values.slice(values.length - third)),
  }
}

const partOf = (values: ReadonlyArray<number>): typeof Part.Type | null =>
  values.length === 0
    ? null
    : { tasks: values.length, mean: Sum.round(Sum.of(values) / values.length), median: Sum.round(median([...values])) }

/** Bounds of the moving median's window: a tenth of the series, an odd number of points. */
const [MIN_WINDOW, MAX_WINDOW] = [5, 101]

const movingMedian = (values: ReadonlyArray<number>): ReadonlyArray<number> => {
  const reach = Math.floor(Math.min(MAX_WINDOW, Math.max(MIN_WINDOW, values.length / 10)) / 2)
  return values.map((_, at) => Sum.round(median(values.slice(Math.max(0, at - reach), at + reach + 1))))
}

/** Tests every series that is long enough, and corrects for the number of tests. */
const tested = (plotted: ReadonlyArray<Plotted>): ReadonlyArray<Series> => {
  const tests = plotted.map(({ points }) =>
    points.length < MIN_TASKS ? undefined : mannKendall(points.map(({ value }) => value)),
  )
  const adjusted = holm(tests.flatMap((test) => (test === undefined ? [] : [test.p.value])))
  let next = 0
  return plotted.map((series, index) => {
    const test = tests[index]
    return test === undefined
      ? { ...series, answer: "descriptive", tau: null, p: null, slope: null }
      : { ...series, ...conclusion(series, test, adjusted[next++] ?? 1) }
  })
}

const conclusion = (
  { points }: Plotted,
  { s, tau, p }: MannKendall,
  adjusted: number,
): Pick<Series, "answer" | "tau" | "p" | "slope"> => {
  const slope = theilSen(points.map(({ number, value }) => ({ x: number, y: value })))
  return {
    answer: adjusted >= LEVEL ? "unclear" : s > 0 ? "better" : "worse",
    tau,
    p: { ...p, adjusted },
    slope: slope === null ? null : { perTask: slope.slope, low: slope.low, high: slope.high },
  }
}
