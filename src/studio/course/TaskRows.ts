/** Tasks as ordered rows of a list. */

import { Effect } from "effect"
import { type EventLog, type LogError, MAIN } from "../../events/log/EventLog.ts"
import { Confirmations } from "../../kernel/gate/Confirmations.ts"
import type { ScoringNotFound } from "../../projections/comparison/SetScores.ts"
import * as FailureSentence from "../../projections/explanation/FailureSentence.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import type { PendingConfirmation, PendingConfirmations } from "../../projections/state/PendingConfirmations.ts"
import type { Activity } from "../../projections/summary/Activity.ts"
import { stateOf } from "../../projections/summary/Activity.ts"
import * as Outcome from "../../projections/summary/Outcome.ts"
import type { TimelineHistory } from "../../projections/timetravel/TimelineHistory.ts"
import * as TaskTree from "../../projections/tree/TaskTree.ts"
import { defined } from "../../values/defined.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as OutlineFacts from "../overview/OutlineFacts.ts"
import { type CountedModels, StudioLog } from "../StudioLog.ts"
import type { TaskOrder, TaskRow } from "../wire/Task.ts"
import * as Standings from "./Standings.ts"

export interface Rows {
  /** The name of the scoring of which it shows the scores, if one was chosen. */
  readonly scores: string | undefined
  readonly standings: Standings.Standings
  /** The ids of the tasks in an order, optionally only of open tasks. */
  readonly ids: (order: TaskOrder, open?: boolean) => ReadonlyArray<string>
  readonly ends: (taskId: string) => OutlineFacts.Ends
  readonly row: (taskId: string, facts: OutlineFacts.OutlineFacts) => Effect.Effect<TaskRow, LogError>
  /** The models of a task; undefined while those of the log are being counted. */
  readonly modelsOf: CountedModels["of"] | undefined
  /** The models of several tasks together; undefined as above. */
  readonly useOf: CountedModels["together"] | undefined
  /** The outcome of a task, or its activity while it is open, and the number of its questions. */
  readonly state: (taskId: string) => Effect.Effect<{ readonly state: string; readonly questions: number }, LogError>
  /** The activity of an open task. */
  readonly activity: (taskId: string) => Effect.Effect<Activity, LogError>
  /** The question of a task to a person that waits longest. */
  readonly asked: (taskId: string) => PendingConfirmation | undefined
}

/** @param scores the name of the scoring of which it shows the scores. Default: the one that counts for each task */
export const of = (
  past: TimelineHistory,
  scores?: string,
): Effect.Effect<Rows, LogError | ScoringNotFound, EventLog | Confirmations | Projector | StudioLog> =>
  Effect.gen(function* () {
    const projector = yield* Projector
    const on = past.timeline === MAIN ? projector : yield* Effect.orDie(projector.on(past.timeline))
    const standings = yield* Standings.current(on, scores)
    const pending = yield* (yield* Confirmations).pending
    const studio = yield* StudioLog
    const activityOf = yield* studio.activities
    const models = yield* studio.models(past)
    const questionsOf = questionsBy(pending, past.timeline)
    const activity = (taskId: string) => {
      const asked = SafeRecord.get(standings.tasks, taskId)?.asked
      return activityOf({ taskId, timeline: past.timeline, questions: questionsOf(taskId), ...defined({ asked }) })
    }
    const isOpen = (taskId: string) => SafeRecord.get(standings.tasks, taskId)?.outcome == null
    // The tasks that a fork started are on `main`.
    const members = past.timeline === MAIN ? standings.tasks : (yield* Standings.current(projector)).tasks
    const below = TaskTree.families(members)
    const belowOf = (taskId: string) => below({ taskId, timeline: past.timeline }).length
    const known: Known = { past, standings, questionsOf, belowOf, modelsOf: models?.of }
    return {
      scores,
      activity,
      standings,
      modelsOf: models?.of,
      useOf: models?.together,
      ids: (order, open = false) => {
        const ids = sorted(standings, order)
        return open ? ids.filter(isOpen) : ids
      },
      asked: (taskId) => FailureSentence.oldest(questionsIn(past, pending, taskId)),
      ends: (taskId) => {
        const standing = SafeRecord.get(standings.tasks, taskId)
        return { from: standing?.from ?? 0, to: standing?.outcome == null ? null : standing.to }
      },
      state: (taskId) => {
        const standing = SafeRecord.get(standings.tasks, taskId)
        const questions = questionsOf(taskId)
        if (standing !== undefined && standing.outcome !== null) {
          return Effect.succeed({ state: Outcome.of(standing), questions })
        }
        return Effect.map(activity(taskId), (now) => ({ state: stateOf({ outcome: null, activity: now }), questions }))
      },
      row: (taskId, facts) => {
        const row = rowOf(known, taskId, facts)
        if (row.outcome !== null) return Effect.succeed(row)
        return Effect.map(activity(taskId), (now): TaskRow => ({ ...row, activity: now }))
      },
    }
  })

/** The number of a task's pending questions on a timeline. */
const questionsBy = (pending: PendingConfirmations, timeline: string): ((taskId: string) => number) => {
  const counts = new Map<string, number>()
  for (const asked of Object.values(pending)) {
    if (asked.taskId === null || (asked.timeline ?? MAIN) !== timeline) continue
    counts.set(asked.taskId, (counts.get(asked.taskId) ?? 0) + 1)
  }
  return (taskId) => counts.get(taskId) ?? 0
}

/** The rows of all these tasks. Waits for the index: without it, each list would read the whole log. */
export const all = (past: TimelineHistory, rows: Rows, ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { index, outlineFacts } = yield* StudioLog
    yield* index.complete
    return yield* Effect.forEach(ids, (taskId) => rows.row(taskId, outlineFacts(past, taskId, rows.ends(taskId))))
  })

/** The rows of a few tasks, without the index. */
export const some = (past: TimelineHistory, rows: Rows, ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { outline } = yield* StudioLog
    return yield* Effect.forEach(ids, (taskId) =>
      Effect.flatMap(outline(past, taskId), (outlined) =>
        rows.row(taskId, OutlineFacts.of(outlined, rows.ends(taskId))),
      ),
    )
  })

const sorted = ({ tasks, scoreOf }: Standings.Standings, order: TaskOrder): ReadonlyArray<string> => {
  const ids = Object.keys(tasks)
  const fromOf = (taskId: string) => SafeRecord.get(tasks, taskId)?.from ?? 0
  const oldest = ids.sort((a, b) => fromOf(a) - fromOf(b))
  if (order === "oldest") return oldest
  const newest = oldest.reverse()
  if (order === "newest") return newest
  const netOf = new Map(newest.map((taskId) => [taskId, scoreOf(taskId)?.net ?? Number.POSITIVE_INFINITY]))
  const rank = (taskId: string) => RANKS[SafeRecord.get(tasks, taskId)?.outcome ?? "open"]
  return newest.sort((a, b) => rank(a) - rank(b) || compare(netOf.get(a), netOf.get(b)))
}

/** Treats infinities as equal. */
const compare = (a = 0, b = 0): number => (a === b ? 0 : a - b)

const RANKS = { failed: 0, abandoned: 0, truncated: 1, open: 1, finished: 1, achieved: 1 }

const questionsIn = (past: TimelineHistory, pending: PendingConfirmations, taskId: string) =>
  Object.values(pending).filter((asked) => asked.taskId === taskId && (asked.timeline ?? MAIN) === past.timeline)

interface Known {
  readonly past: TimelineHistory
  readonly standings: Standings.Standings
  readonly questionsOf: (taskId: string) => number
  readonly belowOf: (taskId: string) => number
  readonly modelsOf: Rows["modelsOf"]
}

const rowOf = (
  { past, standings, questionsOf, belowOf, modelsOf }: Known,
  taskId: string,
  { first, last, begunAt, events, steps, strip, durationMs }: OutlineFacts.OutlineFacts,
): TaskRow => {
  const standing = SafeRecord.get(standings.tasks, taskId)
  return {
    timeline: past.timeline,
    id: taskId,
    goal: standing?.goal ?? "",
    agent: standing?.agent ?? null,
    outcome: standing === undefined || standing.outcome === null ? null : Outcome.of(standing),
    activity: null,
    reason: standing?.reason ?? null,
    from: standing?.from ?? first,
    to: standing === undefined || standing.outcome === null ? last : standing.to,
    openedAt: standing?.openedAt ?? begunAt,
    closedAt: standing?.closedAt ?? null,
    events,
    steps,
    durationMs,
    models: modelsOf?.(taskId) ?? null,
    score: standings.scoreOf(taskId),
    waits: questionsOf(taskId),
    below: belowOf(taskId),
    strip,
  }
}
