/**
 * Several runs in a table: outcome, score, cost, tokens, time, steps, and the first decision that differs from the first
 * run's. The same for the command line, assistants and Studio.
 */

import { Data, Effect } from "effect"
import { EventLog, type LogError } from "../../../events/log/EventLog.ts"
import * as Timelines from "../../../events/read/Timelines.ts"
import { count } from "../../../values/Formats.ts"
import { groupBy } from "../../../values/groupBy.ts"
import * as SafeRecord from "../../../values/SafeRecord.ts"
import * as TaskAudit from "../../audit/TaskAudit.ts"
import * as AuditTable from "../../comparison/AuditTable.ts"
import * as CommonScores from "../../comparison/CommonScores.ts"
import * as SetScores from "../../comparison/SetScores.ts"
import { Projector } from "../../projector/Projector.ts"
import * as CountingScore from "../../report/CountingScore.ts"
import * as ScoreChoice from "../../report/ScoreChoice.ts"
import * as TaskScores from "../../report/TaskScores.ts"
import * as DecisionSentence from "../alignment/DecisionSentence.ts"
import * as RunNames from "../alignment/RunNames.ts"
import * as Runs from "../Runs.ts"
import * as TimelineHistory from "../TimelineHistory.ts"
import * as GroupVerdict from "./GroupVerdict.ts"

/** A task on a timeline. */
export interface RunOfTask {
  readonly timeline: string
  readonly taskId: string
}

/** One run of the table. */
export interface TableRun extends RunNames.RunName {
  readonly taskId: string
  /** Such as `B (hasty)`; of several runs of one agent and model `B2 (hasty)`. */
  readonly label: string
  readonly row: AuditTable.Row
  /** Its score by the common rubric, if it has one; null is unknown, not 0. */
  readonly net: number | null
  /** Where it splits from the first run; null for the first run. */
  readonly split: RunSplit | null
}

/** Where a run splits from the first one. */
export interface RunSplit {
  /** The positions of the first decision that differs, in the first run and in this one; null if none differs. */
  readonly at: { readonly first: number | null; readonly here: number | null } | null
  /** This run's decision there: `called write_file with path "a.mjs"`; null if none differs. */
  readonly deed: string | null
  readonly sentence: string
}

/** Runs of one agent and model. */
export interface RunGroup {
  readonly label: string
  readonly runs: number
  /** Runs with a score. */
  readonly scored: number
  /** The mean of their scores; null without a score. */
  readonly mean: number | null
  /** The difference from the first group; null for the first. */
  readonly difference: GroupVerdict.GroupDifference | null
}

/** Several runs, compared. */
export interface RunTable {
  readonly runs: ReadonlyArray<TableRun>
  readonly groups: ReadonlyArray<RunGroup>
  readonly scores: ReadonlyArray<CommonScores.CommonScore>
  /** The rubric and critic of all scores in the table; null if no run is scored. */
  readonly scored: CommonScores.CommonScore | null
  /** The findings from the scores, in sentences, and the questions that they leave open. */
  readonly verdicts: ReadonlyArray<string>
}

/** Maximum number of runs in a table. */
export const MAX_RUNS = 50

/** Too few or too many runs. */
export class RunsInvalid extends Data.TaggedError("RunsInvalid")<{ readonly found: number }> {
  override get message() {
    return `Expected 2 to ${MAX_RUNS} tasks, found ${this.found}.`
  }
}

/**
 * Compares runs with the first one.
 *
 * @param wanted score sets of the rubric to compare by. Default: one that scores the most of the runs
 */
export const load = (
  runs: ReadonlyArray<RunOfTask>,
  wanted: ReadonlyArray<string> = [],
): Effect.Effect<
  RunTable,
  RunsInvalid | TaskAudit.TaskNotFound | Runs.RunTooLong | Timelines.TimelineNotFound | LogError,
  EventLog | Projector
> =>
  Effect.gen(function* () {
    const [log, projector] = [yield* EventLog, yield* Projector]
    const pastOf = (timeline: string) => TimelineHistory.of(log, projector, timeline)
    const [first] = runs
    if (first === undefined || runs.length < 2 || runs.length > MAX_RUNS)
      return yield* new RunsInvalid({ found: runs.length })
    const read = yield* Effect.forEach(runs, ({ timeline, taskId }) =>
      onTimeline(timeline, Effect.all([TaskAudit.load(taskId), SetScores.sets])),
    )
    const sets = read.map(([, known], index) => TaskScores.setsOf(known, runs[index]?.taskId ?? ""))
    const scores = CommonScores.of(sets)
    const counting = read.map(([, known], index) => {
      const official = SafeRecord.get(known.pointers, CountingScore.OFFICIAL)
      return TaskScores.of(known, runs[index]?.taskId ?? "", ScoreChoice.counting(official))?.set
    })
    const scored = CommonScores.chosen(scores, wanted, counting)
    const [pastA, selectorA] = [yield* pastOf(first.timeline), first]
    const compared = yield* Effect.forEach(runs, (run) =>
      Effect.flatMap(pastOf(run.timeline), (past) => Runs.compared([pastA, selectorA], [past, run])),
    )
    const names = compared.map(({ names }) => names[1])
    const { labels, groupLabels, groupsOf } = labelled(names)
    const table = runs.map(({ taskId }, index): TableRun => {
      const [audit] = read[index] ?? []
      const name = names[index]
      if (audit === undefined || name === undefined)
        throw new RangeError(`expected an audit and a name of run ${index}`)
      const set = scored?.sets[index]
      const row = AuditTable.rowOf(audit, new Set(set == null ? [] : [set]))
      const label = labels[index] ?? ""
      const split = index === 0 ? null : splitOf(compared[index], [labels[0] ?? "A", label])
      return { ...name, taskId, label, row, net: row.score?.finished === true ? row.score.net : null, split }
    })
    const groups = groupsOf.map((members, index) => ({
      label: groupLabels[index] ?? "",
      scores: members.map((member) => table[member]?.net ?? null),
    }))
    const differences = GroupVerdict.of(groups)
    return {
      runs: table,
      groups: groups.map(({ label, scores: nets }, index) => {
        const known = nets.filter((net) => net !== null)
        const mean = known.length === 0 ? null : known.reduce((sum, net) => sum + net, 0) / known.length
        return {
          label,
          runs: nets.length,
          scored: known.length,
          mean,
          difference: index === 0 ? null : (differences[index - 1] ?? null),
        }
      }),
      scores,
      scored,
      verdicts: verdictsOf(table, groups, differences, scored),
    }
  })

const onTimeline = <A, E>(timeline: string, effect: Effect.Effect<A, E, EventLog>) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const view = Timelines.view(log, yield* Timelines.named(log, timeline))
    return yield* Effect.provideService(effect, EventLog, view)
  })

/** The runs by agent and models, each group with a letter, and its runs with numbers if there are several. */
const labelled = (names: ReadonlyArray<RunNames.RunName>) => {
  const groups = [
    ...groupBy(
      names.map((_, index) => index),
      (index) => [JSON.stringify([names[index]?.agent, names[index]?.models])],
    ).values(),
  ]
  // If all have the same agent and models, each fork or task is a group of its own.
  const groupsOf = groups.length === 1 ? names.map((_, index) => [index]) : groups
  const groupLabels = RunNames.labelsOf(
    groupsOf.flatMap(([member]) => (member === undefined ? [] : (names[member] ?? []))),
  )
  const labels = names.map((_, index) => {
    const group = groupsOf.findIndex((members) => members.includes(index))
    const [members, label = ""] = [groupsOf[group] ?? [], groupLabels[group]]
    const letter = RunNames.letterOf(group)
    return members.length < 2 ? label : `${letter}${members.indexOf(index) + 1}${label.slice(letter.length)}`
  })
  return { labels, groupLabels, groupsOf }
}

const splitOf = (compared: Runs.Compared | undefined, [first, label]: readonly [string, string]): RunSplit | null => {
  if (compared === undefined) return null
  const { decisions, names } = compared
  const { split } = decisions
  return {
    at: split === null ? null : { first: split.a?.event.position ?? null, here: split.b?.event.position ?? null },
    deed: split === null ? null : split.b === null ? "decided nothing more" : DecisionSentence.deed(split.b, split.a),
    sentence: DecisionSentence.of(decisions, [
      { label: first, isOpen: names[0].isOpen },
      { label, isOpen: names[1].isOpen },
    ]),
  }
}

const verdictsOf = (
  runs: ReadonlyArray<TableRun>,
  groups: ReadonlyArray<GroupVerdict.ScoredGroup>,
  differences: ReadonlyArray<GroupVerdict.GroupDifference>,
  scored: CommonScores.CommonScore | null,
): ReadonlyArray<string> => {
  const told = (of: (run: TableRun) => boolean) => runs.filter(of).map(({ label }) => label)
  const [unscored, unpriced] = [told(({ net }) => net === null), told(({ row }) => row.cost.usd === null)]
  const sizes = new Set(groups.map(({ scores }) => scores.length))
  return [
    ...(scored === null
      ? ["No run is scored, so nothing can be said about who scores higher."]
      : differences.map(({ sentence }) => sentence)),
    ...(scored !== null && unscored.length > 0 ? [`Without a score by ${nameOf(scored)}: ${listed(unscored)}.`] : []),
    ...(unpriced.length > 0 ? [`The cost of ${listed(unpriced)} is not known.`] : []),
    ...(sizes.size > 1 ? ["The groups have different numbers of runs: those without a partner do not count."] : []),
    ...(new Set(runs.map(({ goal }) => goal)).size > 1 ? ["Their goals differ."] : []),
  ]
}

const nameOf = ({ rubric, labels }: CommonScores.CommonScore): string => (rubric === "" ? labels.join(", ") : rubric)

/** Maximum number of runs that a sentence names. */
const MAX_NAMED = 5

const listed = (labels: ReadonlyArray<string>): string =>
  labels.length <= MAX_NAMED
    ? labels.join(", ")
    : `${labels.slice(0, MAX_NAMED).join(", ")} and ${count(labels.length - MAX_NAMED, "more run")}`
