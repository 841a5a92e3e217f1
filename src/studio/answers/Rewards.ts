/** Answers `/api/rewards` and `/api/scorings`. */

import { Effect, Schema } from "effect"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as RewardRows from "../course/RewardRows.ts"
import * as TaskRows from "../course/TaskRows.ts"
import { StudioLog } from "../StudioLog.ts"
import type { Scorings } from "../wire/Task.ts"
import * as Query from "./Query.ts"

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
    return chosen === undefined ? [] : yield* RewardRows.ofSet(past, task, chosen)
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
