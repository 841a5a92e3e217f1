/** Answers `/api/rewards` and `/api/scorings`. */

import { Effect, Schema } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { type CoreName, is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import type { TimelineHistory } from "../../projections/timetravel/TimelineHistory.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as TaskRows from "../course/TaskRows.ts"
import { StudioLog } from "../StudioLog.ts"
import type { RewardRow, Scorings } from "../wire/Task.ts"
import * as Query from "./Query.ts"

const GIVING: ReadonlyArray<CoreName> = ["RewardGiven", "PunishmentGiven"]

export const RewardsQuery = Schema.Struct({
  timeline: Query.Timeline,
  task: Schema.NonEmptyString,
  set: Query.OptionalText,
  scores: Query.OptionalText,
})

/**
 * A task's rewards and punishments by the score set `set`, or by its set of the scoring `scores`. Default: the set that
 * counts.
 */
export const rewards = ({ timeline, task, set, scores }: typeof RewardsQuery.Type) =>
  Effect.gen(function* () {
    const studio = yield* StudioLog
    const past = yield* studio.past(timeline)
    yield* studio.outline(past, task)
    const chosen = set ?? (yield* TaskRows.of(past, scores)).standings.scoreOf(task)?.set
    return chosen === undefined ? [] : yield* ofSet(past, task, chosen)
  })

export const ScoringsQuery = Schema.Struct({ timeline: Query.Timeline })

/** Maximum number of listed labels. */
const MAX_LABELS = 50

/** The names of scorings that tasks of a timeline can be shown by. */
export const scorings = ({ timeline }: typeof ScoringsQuery.Type) =>
  Effect.gen(function* () {
    const past = yield* (yield* StudioLog).past(timeline)
    const { sets, pointers } = (yield* TaskRows.of(past)).standings.sets
    const tasksBy = new Map<string, Set<string>>()
    // The newest labels come first.
    for (const { label, finished, taskIds } of Object.values(sets).sort((a, b) => b.startedAt - a.startedAt)) {
      if (!finished || taskIds.length === 0 || Object.hasOwn(pointers, label)) continue
      const known = tasksBy.get(label)
      if (known === undefined) tasksBy.set(label, new Set(taskIds))
      else for (const task of taskIds) known.add(task)
    }
    const labels = [...tasksBy].map(([name, tasks]) => ({ name, isPointer: false, tasks: tasks.size }))
    const named = Object.entries(pointers).map(([name, set]) => {
      const found = SafeRecord.get(sets, set)
      return { name, isPointer: true, tasks: found?.finished === true ? found.taskIds.length : 0 }
    })
    const shown = labels.slice(0, MAX_LABELS)
    return { rows: [...named, ...shown], left: labels.length - shown.length } satisfies Scorings
  })

/** A task's rewards and punishments by one score set, ordered by the moments that they are about. */
export const ofSet = (
  past: TimelineHistory,
  taskId: string,
  scoreSetId: string,
): Effect.Effect<ReadonlyArray<RewardRow>, LogError> =>
  Effect.suspend(() => {
    const rows: Array<RewardRow> = []
    const take = (page: ReadonlyArray<Event>) => {
      for (const event of page) {
        const row = rowOf(event, scoreSetId)
        if (row !== undefined) rows.push(row)
      }
    }
    return Effect.map(Pages.forEach(past.readPage, { taskId, types: GIVING }, take), () =>
      rows.sort((a, b) => a.at - b.at || a.position - b.position),
    )
  })

const rowOf = (event: Event, scoreSetId: string): RewardRow | undefined => {
  const isReward = is(event, "RewardGiven")
  if (!isReward && !is(event, "PunishmentGiven")) return undefined
  const { payload, position } = event
  if (payload.scoreSetId !== scoreSetId) return undefined
  const { because, measure, name, rationale = null } = payload
  const kind = isReward ? "reward" : "punishment"
  const amount = isReward ? payload.amount : 0 - payload.amount
  const moments = momentsOf(payload, amount, position)
  return {
    position,
    at: because.at(-1) ?? position,
    because,
    kind,
    amount,
    moments,
    measure,
    name,
    rationale,
  }
}

/**
 * The moments at which a verdict was earned or lost.
 *
 * @param amount the verdict's part of the net
 * @param position the moment of a verdict without evidence
 */
export const momentsOf = (
  { because, occurrences = Math.max(1, because.length) }: Pick<PayloadOf<"RewardGiven">, "because" | "occurrences">,
  amount: number,
  position: number,
): RewardRow["moments"] =>
  // Without `occurrences`, `because` lists one position per occurrence; a verdict without evidence counts once.
  because.length === occurrences
    ? because.map((moment) => ({ at: moment, amount: amount / occurrences }))
    : [{ at: because.at(-1) ?? position, amount }]
