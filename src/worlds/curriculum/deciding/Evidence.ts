/**
 * The evidence of an attempt: what criteria read, computed from the audits of its tasks, with the positions of the events
 * behind it. Pure. A value that some task of the attempt lacks is absent, so that a criterion over it is unknown.
 */

import * as Scores from "../../../projections/audit/Scores.ts"
import type { TaskAudit } from "../../../projections/audit/TaskAudit.ts"
import { defined } from "../../../values/defined.ts"
import type { Json, JsonObject } from "../../../values/Json.ts"
import * as Sum from "../../../values/Sum.ts"
import type { CriterionContext } from "../document/Criterion.ts"

/** The outcomes, steps and scores of an attempt's tasks. */
export interface AttemptResult {
  readonly outcomes: JsonObject
  readonly steps: JsonObject
  readonly scores: JsonObject
}

/** The evidence of a decision. */
export interface Evidence {
  readonly context: CriterionContext
  /** Positions of the ends of the tasks, and of the starts of the score sets. */
  readonly because: ReadonlyArray<number>
  readonly scoreSets: ReadonlyArray<string>
}

/** The place of an attempt in a curriculum. */
export type Place = Pick<CriterionContext, "attempt" | "attempts" | "stage" | "level" | "guidance">

/**
 * Makes the evidence of an attempt.
 *
 * @param audits of the attempt's tasks, which have all ended, in their order
 * @param before the result of the attempt before at the same stage
 */
export const of = (place: Place, audits: ReadonlyArray<TaskAudit>, before: AttemptResult | undefined): Evidence => {
  const counting = audits.map(countingScores)
  const scores = counting.flatMap((byLabel) => [...byLabel.values()])
  return {
    context: {
      ...place,
      episodes: audits.length,
      ...resultOf(audits),
      previous: before === undefined ? {} : { ...before },
    },
    because: [...audits.map(({ range }) => range.to), ...scores.map(({ at }) => at)].sort((a, b) => a - b),
    scoreSets: [...new Set(scores.map(({ scoreSetId }) => scoreSetId))],
  }
}

/** The outcomes, steps and scores of an attempt's tasks. */
export const resultOf = (audits: ReadonlyArray<TaskAudit>): AttemptResult => {
  const judged = (outcome: string) =>
    audits.filter((audit) => audit.outcome === outcome && audit.unjudged === undefined).length
  return {
    outcomes: {
      achieved: judged("achieved"),
      failed: judged("failed"),
      truncated: judged("truncated"),
      abandoned: judged("abandoned"),
      unjudged: audits.filter(({ unjudged }) => unjudged !== undefined).length,
    },
    steps: statisticsOf(audits.map(({ steps }) => steps)),
    scores: scoresOf(audits.map(countingScores)),
  }
}

type ByLabel = ReadonlyMap<string, Scores.Score>

/** The scores of a task by label. If two sets of a label cover it, the later one counts. */
const countingScores = ({ scores }: TaskAudit): ByLabel => new Map(scores.map((score) => [score.label, score]))

const scoresOf = (tasks: ReadonlyArray<ByLabel>): JsonObject => {
  const labels = [...new Set(tasks.flatMap((byLabel) => [...byLabel.keys()]))].sort()
  return Object.fromEntries(
    labels.map((label) => [
      label,
      ofLabel(
        tasks.flatMap((byLabel) => byLabel.get(label) ?? []),
        tasks.length,
      ),
    ]),
  )
}

/** The scores of one label. Statistics need a finished score without undecided verdicts of every task. */
const ofLabel = (scores: ReadonlyArray<Scores.Score>, tasks: number): JsonObject => {
  const finished = scores.filter((score) => score.finished)
  const isWhole = finished.length === tasks
  const names = [...new Set(finished.flatMap(({ measures }) => measures.map(Scores.nameOf)))].sort()
  const isDecided = (score: Scores.Score, name?: string) =>
    !score.unscored.some(({ measure }) => name === undefined || measure === name)
  const net =
    isWhole && finished.every((score) => isDecided(score))
      ? statisticsOf(finished.map((score) => score.net))
      : undefined
  const measures = names.flatMap((name): ReadonlyArray<readonly [string, Json]> => {
    const nets = finished.flatMap((score) => {
      const measure = score.measures.find((each) => Scores.nameOf(each) === name)
      return measure === undefined || !isDecided(score, name) ? [] : [netOf(measure)]
    })
    return nets.length === tasks ? [[name, statisticsOf(nets)]] : []
  })
  return { tasks: finished.length, ...defined({ net }), measures: Object.fromEntries(measures) }
}

const netOf = ({ rewards, punishments }: Scores.MeasureScore): number => {
  const sum = (verdicts: ReadonlyArray<Scores.ScoredVerdict>) => Sum.of(verdicts.map(({ amount }) => amount))
  return Sum.round(sum(rewards) - sum(punishments))
}

const statisticsOf = (values: ReadonlyArray<number>): JsonObject => {
  const last = values.at(-1)
  if (last === undefined) return {}
  return {
    mean: Sum.round(Sum.of(values) / values.length),
    min: values.reduce((least, value) => Math.min(least, value)),
    max: values.reduce((most, value) => Math.max(most, value)),
    last,
  }
}
