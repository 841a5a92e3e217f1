/** The scores section of a task's audit: rewards and punishments in each score set, by measure. */

import { Schema } from "effect"
import { Position } from "../../events/vocabulary/Event.ts"
import { defined } from "../../values/defined.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as Sum from "../../values/Sum.ts"
import * as Rubric from "./Rubric.ts"
import { type RecordedVerdict, type Scored, type State, verdictKey } from "./Verdicts.ts"

/** One reward or punishment of a measure, with its occurrences and amount. */
export const ScoredVerdict = Schema.Struct({
  name: Schema.String,
  weight: Schema.Finite.annotations({ description: "Points for one occurrence" }),
  times: Schema.NonNegativeInt.annotations({ description: "Occurrences; 0 if the condition never held" }),
  amount: Schema.Finite.annotations({ description: "Σ weight × occurrences, exact to 1e-9" }),
  because: Schema.Array(Schema.Int).annotations({
    description: "Positions of the events that met the condition, one per occurrence",
  }),
  amounts: Schema.optionalWith(Schema.Array(Schema.Finite), { exact: true }).annotations({
    description: "Points for each of these positions; only if they differ, as a world's rewards do",
  }),
}).annotations({ identifier: "Verdict" })

export type ScoredVerdict = typeof ScoredVerdict.Type

/** One measure, with all its rewards and punishments. */
export const MeasureScore = Schema.Struct({
  plugin: Schema.NullOr(Schema.String).annotations({ description: "null if the rubric names none" }),
  measure: Schema.String,
  rewards: Schema.Array(ScoredVerdict),
  punishments: Schema.Array(ScoredVerdict),
}).annotations({ identifier: "MeasureScore" })

export type MeasureScore = typeof MeasureScore.Type

/** The score of a task in one score set. */
export const Score = Schema.Struct({
  scoreSetId: Schema.String,
  label: Schema.String.annotations({ description: "`live` for the scoring at the close of the task" }),
  critic: Schema.String,
  rubricDigest: Schema.NullOr(Schema.String).annotations({
    description: "Digest of the rubric; null if the log has verdicts without the start of their scoring",
  }),
  at: Position.annotations({ description: "Position of the start of the scoring" }),
  finished: Schema.Boolean.annotations({ description: "false if the scoring still runs, or was interrupted" }),
  earned: Schema.Finite.annotations({ description: "Σ amounts of rewards, exact to 1e-9" }),
  lost: Schema.Finite.annotations({ description: "Σ amounts of punishments, exact to 1e-9" }),
  net: Schema.Finite.annotations({ description: "earned − lost" }),
  possible: Schema.Finite.annotations({ description: "Σ weights of the rubric's rewards" }),
  normalized: Schema.NullOr(Schema.Finite).annotations({
    description: "net / possible; null if `possible` is 0",
  }),
  unscored: Schema.Array(
    Schema.Struct({ measure: Schema.String, name: Schema.String, reason: Schema.String }),
  ).annotations({ description: "Rewards and punishments that could not be decided" }),
  measures: Schema.Array(MeasureScore),
}).annotations({ identifier: "Score" })

export type Score = typeof Score.Type

/** The name of a measure: `plugin/measure`, or the bare name if its rubric names no plugin. */
export const nameOf = ({ plugin, measure }: MeasureScore): string => Rubric.nameOf({ plugin, name: measure })

/** A verdict with its measure and kind. */
export interface MeasureVerdict extends ScoredVerdict {
  /** `plugin/measure` */
  readonly measure: string
  readonly kind: "reward" | "punishment"
}

/** All rewards and punishments of a score by measure, including those that never occurred. */
export const verdictsOf = ({ measures }: Score): ReadonlyArray<MeasureVerdict> =>
  measures.flatMap((each) => {
    const measure = nameOf(each)
    return [
      ...each.rewards.map((verdict) => ({ measure, kind: "reward" as const, ...verdict })),
      ...each.punishments.map((verdict) => ({ measure, kind: "punishment" as const, ...verdict })),
    ]
  })

/** A part of a verdict's amount (negative for punishments), attributed to an event. */
export interface Share {
  readonly measure: string
  readonly name: string
  readonly amount: number
  /** Null if the verdict cites no event. */
  readonly position: number | null
}

/** Splits the amounts of a score over the cited events: by their own amounts, or equally. */
export const sharesOf = (score: Score): ReadonlyArray<Share> =>
  verdictsOf(score).flatMap(({ measure, kind, name, times, amount, because, amounts }): ReadonlyArray<Share> => {
    if (times === 0) return []
    const sign = kind === "reward" ? 1 : -1
    if (because.length === 0) return [{ measure, name, amount: sign * amount, position: null }]
    const equal = amount / because.length
    return because.map((position, index) => ({ measure, name, amount: sign * (amounts?.[index] ?? equal), position }))
  })

/** Builds the section: one entry per score set, in the order of their starts. */
export const section = (state: State): ReadonlyArray<Score> =>
  Object.entries(state)
    .sort(([, a], [, b]) => a.at - b.at)
    .map(([scoreSetId, set]) => scoreOf(scoreSetId, set))

/** The score of one task in one score set. */
export const scoreOf = (scoreSetId: string, set: Scored): Score => {
  const rubric = set.started?.measures ?? []
  const fromRubric = rubric.map((measure) => scoreMeasure(measure, set))
  const measures = [...fromRubric, ...besideRubric(rubric, set)]
  const amounts = (of: "rewards" | "punishments") =>
    Sum.of(measures.flatMap((measure) => measure[of].map(({ amount }) => amount)))
  const earned = amounts("rewards")
  const lost = amounts("punishments")
  const net = Sum.round(earned - lost)
  const possible = Rubric.possibleOf(rubric)
  return {
    scoreSetId,
    label: set.started?.label ?? "",
    critic: set.started?.critic ?? "",
    rubricDigest: set.started?.rubricDigest ?? null,
    at: set.at,
    finished: set.finished,
    earned,
    lost,
    net,
    possible,
    normalized: possible === 0 ? null : Sum.round(net / possible),
    unscored: set.unscored,
    measures,
  }
}

const scoreMeasure = (measure: Rubric.Measure, set: Scored): MeasureScore => {
  const verdicts = (kind: RecordedVerdict["kind"], declared: Rubric.Measure["rewards"]) =>
    declared.map(({ name, weight }): ScoredVerdict => {
      const recorded = SafeRecord.get(set.given, verdictKey(Rubric.nameOf(measure), kind, name))
      return recorded === undefined ? { name, weight, times: 0, amount: 0, because: [] } : verdictOf(recorded)
    })
  return {
    plugin: measure.plugin,
    measure: measure.name,
    rewards: verdicts("reward", measure.rewards),
    punishments: verdicts("punishment", measure.punishments),
  }
}

const verdictOf = ({ name, weight, times, amount, because, amounts }: RecordedVerdict): ScoredVerdict => ({
  name,
  weight,
  times,
  amount: Sum.value(amount),
  because,
  ...defined({ amounts }),
})

/** Verdicts that the rubric does not list, such as an environment's own reward. They count too. */
const besideRubric = (rubric: ReadonlyArray<Rubric.Measure>, set: Scored): ReadonlyArray<MeasureScore> => {
  const listed = new Set(
    rubric.flatMap((measure) => [
      ...measure.rewards.map(({ name }) => verdictKey(Rubric.nameOf(measure), "reward", name)),
      ...measure.punishments.map(({ name }) => verdictKey(Rubric.nameOf(measure), "punishment", name)),
    ]),
  )
  const others = Object.entries(set.given).flatMap(([key, given]) => (listed.has(key) ? [] : [given]))
  const names = [...new Set(others.map(({ measure }) => measure))]
  return names.map((fullName) => {
    const slash = fullName.indexOf("/")
    const of = (kind: RecordedVerdict["kind"]) =>
      others.filter((given) => given.measure === fullName && given.kind === kind).map(verdictOf)
    return {
      plugin: slash < 0 ? null : fullName.slice(0, slash),
      measure: fullName.slice(slash + 1),
      rewards: of("reward"),
      punishments: of("punishment"),
    }
  })
}
