/** The value of a score that a trend plots: the whole score, or one measure. */

import * as Sum from "../../../values/Sum.ts"
import { type MeasureScore, nameOf, type Score } from "../../audit/Scores.ts"

/** The value of a score, or of one of its measures. */
export interface Valued {
  readonly value: number
  /** Whether an undecided part contributes nothing. */
  readonly undecided: boolean
  readonly finished: boolean
}

/** The names of the measures in these scores, sorted. */
export const measuresIn = (scores: Iterable<Score>): ReadonlyArray<string> => {
  const names = new Set<string>()
  for (const { measures } of scores) for (const measure of measures) names.add(nameOf(measure))
  return [...names].sort()
}

/**
 * The value of a score, or of one of its measures; undefined if the score lacks the measure, if no part could be
 * decided, or if the normalized value is requested and nothing is possible.
 */
export const of = (score: Score, by: "net" | "normalized", measure?: string): Valued | undefined => {
  const measures = score.measures.filter((each) => measure === undefined || nameOf(each) === measure)
  const unscored = score.unscored.filter((each) => measure === undefined || each.measure === measure)
  const declared = measures.reduce((sum, { rewards, punishments }) => sum + rewards.length + punishments.length, 0)
  const known = measure === undefined || measures.length > 0
  if (!known || (unscored.length > 0 && unscored.length >= declared)) return undefined
  const value = measure === undefined ? score[by] : ofMeasures(measures)[by]
  return value === null ? undefined : { value, undecided: unscored.length > 0, finished: score.finished }
}

const ofMeasures = (measures: ReadonlyArray<MeasureScore>): Pick<Score, "net" | "normalized"> => {
  const rewards = measures.flatMap((measure) => measure.rewards)
  const punishments = measures.flatMap((measure) => measure.punishments)
  const amounts = (of: typeof rewards) => Sum.of(of.map(({ amount }) => amount))
  const net = Sum.round(amounts(rewards) - amounts(punishments))
  const possible = Sum.of(rewards.map(({ weight }) => weight))
  return { net, normalized: possible === 0 ? null : Sum.round(net / possible) }
}
