/** The summary of score sets: distributions, measures, unscored rewards, best and worst tasks. */

import { Effect } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import * as Sum from "../../values/Sum.ts"
import * as Rubric from "../audit/Rubric.ts"
import { verdictKey } from "../audit/Verdicts.ts"
import { Quantiles, type Spread } from "../report/Quantiles.ts"
import type { ScoreSets } from "../state/ScoreSets.ts"

/** A summary over all tasks of some score sets. If two sets cover a task, the later one counts. */
export interface SetSummary {
  readonly tasks: number
  /** Tasks with a score: all tasks of a finished set; those with a verdict of an unfinished set. */
  readonly scored: number
  readonly earned: Spread | null
  readonly lost: Spread | null
  readonly net: Spread | null
  /** The number of tasks by net value, in bins of equal width from the smallest to the greatest value. */
  readonly histogram: ReadonlyArray<Bin>
  readonly measures: ReadonlyArray<MeasureSummary>
  /** Unscored rewards and punishments by reason, the most frequent first. Positions are removed from the reasons. */
  readonly unscored: ReadonlyArray<UnscoredSummary>
  /** The tasks with the greatest and the smallest net values. */
  readonly best: ReadonlyArray<TaskNet>
  readonly worst: ReadonlyArray<TaskNet>
}

export interface Bin {
  readonly from: number
  readonly to: number
  readonly tasks: number
}

export interface MeasureSummary {
  /** `plugin/measure`, or the bare name, as in verdicts. */
  readonly measure: string
  readonly rewards: ReadonlyArray<VerdictSummary>
  readonly punishments: ReadonlyArray<VerdictSummary>
}

export interface VerdictSummary {
  readonly name: string
  readonly weight: number
  /** The number of tasks in which it was given, and of its occurrences. */
  readonly tasks: number
  readonly times: number
  readonly amount: number
}

export interface UnscoredSummary {
  readonly measure: string
  readonly name: string
  readonly reason: string
  readonly tasks: number
}

export interface TaskNet {
  readonly taskId: string
  readonly net: number
  /** Undecided rewards and punishments, which contribute nothing. */
  readonly unscored: number
}

/** Maximum number of best and of worst tasks, and the number of bins. */
const MAX_TASKS = 5
const BINS = 10

/**
 * Summarizes score sets from their events: the stream of a single set, or all verdicts of the log for several. Memory
 * is constant per task.
 */
export const load = (known: ScoreSets, ids: ReadonlyArray<string>): Effect.Effect<SetSummary, LogError, EventLog> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const summary = begin(known, ids)
    const query = ids.length === 1 ? { stream: `scores/${ids[0]}` } : { types: VERDICTS }
    yield* Pages.forEach(log.readPage, { ...query, timeline: log.timeline }, (page) => {
      for (const event of page) summary.take(event)
    })
    return summary.of()
  })

const VERDICTS = ["RewardGiven", "PunishmentGiven", "MeasureUnscored"]

interface VerdictTotal extends Omit<VerdictSummary, "amount"> {
  readonly kind: "reward" | "punishment"
  readonly measure: string
  readonly amount: Sum.Sum
}

/** An accumulator of the summary, which accepts verdicts in any order. */
export const begin = (known: ScoreSets, ids: ReadonlyArray<string>) => {
  const setOf = latestOf(known, ids)
  const sums = new Map<string, { earned: Sum.Sum; lost: Sum.Sum }>()
  const verdictTotals = new Map<string, VerdictTotal>()
  const unscored = new Map<string, UnscoredSummary>()
  const undecidedCounts = new Map<string, number>()
  for (const id of ids) {
    const { finished = false, rubricDigest = "", taskIds = [] } = known.sets[id] ?? {}
    for (const taskId of finished ? taskIds : []) {
      if (setOf.get(taskId) === id) sums.set(taskId, { earned: Sum.zero, lost: Sum.zero })
    }
    for (const none of declared(known.rubrics[rubricDigest] ?? {})) {
      const key = verdictKey(none.measure, none.kind, none.name)
      if (!verdictTotals.has(key)) verdictTotals.set(key, none)
    }
  }

  const sumsOf = (taskId: string) => {
    const found = sums.get(taskId) ?? { earned: Sum.zero, lost: Sum.zero }
    sums.set(taskId, found)
    return found
  }

  const addVerdict = (taskId: string, kind: VerdictTotal["kind"], payload: PayloadOf<"RewardGiven">): void => {
    const { measure, name, weight, amount, occurrences, because } = payload
    const of = sumsOf(taskId)
    if (kind === "reward") of.earned = Sum.add(of.earned, amount)
    else of.lost = Sum.add(of.lost, amount)
    const key = verdictKey(measure, kind, name)
    const before = verdictTotals.get(key) ?? { kind, measure, name, weight, tasks: 0, times: 0, amount: Sum.zero }
    const times = before.times + (occurrences ?? Math.max(1, because.length))
    verdictTotals.set(key, { ...before, tasks: before.tasks + 1, times, amount: Sum.add(before.amount, amount) })
  }

  const addUnscored = (taskId: string, { measure, name, reason: told }: PayloadOf<"MeasureUnscored">): void => {
    sumsOf(taskId)
    undecidedCounts.set(taskId, (undecidedCounts.get(taskId) ?? 0) + 1)
    const reason = told.replaceAll(/ ?at @\d+/g, "")
    const key = JSON.stringify([measure, name, reason])
    const before = unscored.get(key) ?? { measure, name, reason, tasks: 0 }
    unscored.set(key, { ...before, tasks: before.tasks + 1 })
  }

  return {
    take: (event: Event): void => {
      const { taskId } = event
      if (taskId === null || setOf.get(taskId) !== event.payload.scoreSetId) return
      if (is(event, "RewardGiven")) addVerdict(taskId, "reward", event.payload)
      else if (is(event, "PunishmentGiven")) addVerdict(taskId, "punishment", event.payload)
      else if (is(event, "MeasureUnscored")) addUnscored(taskId, event.payload)
    },
    of: (): SetSummary => {
      const scores = [...sums].map(([taskId, { earned, lost }]) => {
        const of = { earned: Sum.value(earned), lost: Sum.value(lost) }
        return { taskId, ...of, net: Sum.round(of.earned - of.lost) }
      })
      const nets = scores
        .map(({ taskId, net }) => ({ taskId, net, unscored: undecidedCounts.get(taskId) ?? 0 }))
        .sort((a, b) => b.net - a.net)
      return {
        tasks: setOf.size,
        scored: scores.length,
        earned: spread(scores.map(({ earned }) => earned)),
        lost: spread(scores.map(({ lost }) => lost)),
        net: spread(scores.map(({ net }) => net)),
        histogram: histogram(nets.map(({ net }) => net)),
        measures: measures([...verdictTotals.values()]),
        unscored: [...unscored.values()].sort((a, b) => b.tasks - a.tasks),
        best: nets.slice(0, MAX_TASKS),
        worst: nets.slice(MAX_TASKS).slice(-MAX_TASKS).reverse(),
      }
    },
  }
}

/** The last of these sets that covers each task. */
const latestOf = ({ sets }: ScoreSets, ids: ReadonlyArray<string>): ReadonlyMap<string, string> =>
  new Map(
    ids
      .flatMap((id) => (sets[id] === undefined ? [] : [{ id, set: sets[id] }]))
      .sort((a, b) => a.set.startedAt - b.set.startedAt)
      .flatMap(({ id, set }) => set.taskIds.map((taskId) => [taskId, id] as const)),
  )

/** Every reward and punishment of a rubric, with zero occurrences. */
const declared = (rubric: ScoreSets["rubrics"][string]): ReadonlyArray<VerdictTotal> =>
  Rubric.measuresOf(rubric).flatMap((of) => {
    const measure = Rubric.nameOf(of)
    const none = (kind: VerdictTotal["kind"], verdicts: Rubric.Measure["rewards"]) =>
      verdicts.map(({ name, weight }) => ({ kind, measure, name, weight, tasks: 0, times: 0, amount: Sum.zero }))
    return [...none("reward", of.rewards), ...none("punishment", of.punishments)]
  })

const measures = (totals: ReadonlyArray<VerdictTotal>): ReadonlyArray<MeasureSummary> =>
  [...new Set(totals.map(({ measure }) => measure))].map((measure) => {
    const of = (kind: VerdictTotal["kind"]) =>
      totals
        .filter((one) => one.measure === measure && one.kind === kind)
        .map(({ name, weight, tasks, times, amount }) => ({ name, weight, tasks, times, amount: Sum.value(amount) }))
    return { measure, rewards: of("reward"), punishments: of("punishment") }
  })

const spread = (values: ReadonlyArray<number>): Spread | null => {
  const quantiles = new Quantiles()
  for (const value of values) quantiles.add(value)
  return quantiles.spread()
}

/** Equal values share one bin. */
const histogram = (values: ReadonlyArray<number>): ReadonlyArray<Bin> => {
  const least = values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
  const most = values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
  if (values.length === 0) return []
  const bins = least === most ? 1 : BINS
  const width = (most - least) / bins
  const counts = new Array<number>(bins).fill(0)
  for (const value of values) {
    const bin = width === 0 ? 0 : Math.min(bins - 1, Math.floor((value - least) / width))
    counts[bin] = (counts[bin] ?? 0) + 1
  }
  return counts.map((tasks, bin) => ({
    from: Sum.round(least + bin * width),
    to: Sum.round(least + (bin + 1) * width),
    tasks,
  }))
}
