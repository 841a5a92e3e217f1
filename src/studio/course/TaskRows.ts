/** Tasks as ordered rows of a list. */

import { Effect } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import { MAIN } from "../../events/log/EventLog.ts"
import { Confirmations } from "../../kernel/gate/Confirmations.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import type { PendingConfirmations } from "../../projections/state/PendingConfirmations.ts"
import * as Outcome from "../../projections/summary/Outcome.ts"
import type { TimelineHistory } from "../../projections/timetravel/TimelineHistory.ts"
import { defined } from "../../values/defined.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { StudioLog } from "../StudioLog.ts"
import type { TaskOrder, TaskRow } from "../wire/Task.ts"
import type { Outline } from "./Outline.ts"
import * as Standings from "./Standings.ts"
import * as Strip from "./Strip.ts"

export interface Rows {
  readonly standings: Standings.Standings
  /** The ids of the tasks in an order, optionally only of open tasks. */
  readonly ids: (order: TaskOrder, open?: boolean) => ReadonlyArray<string>
  readonly row: (taskId: string, outline: Outline) => Effect.Effect<TaskRow, LogError>
}

export const of = (past: TimelineHistory): Effect.Effect<Rows, LogError, Confirmations | Projector | StudioLog> =>
  Effect.gen(function* () {
    const projector = yield* Projector
    const on = past.timeline === MAIN ? projector : yield* Effect.orDie(projector.on(past.timeline))
    const standings = yield* Standings.current(on)
    const pending = yield* (yield* Confirmations).pending
    const activityOf = yield* (yield* StudioLog).activities
    return {
      standings,
      ids: (order, open = false) => {
        const ids = sorted(standings, order)
        return open ? ids.filter((taskId) => SafeRecord.get(standings.tasks, taskId)?.outcome === null) : ids
      },
      row: (taskId, outline) => {
        const row = rowOf({ past, standings, pending }, taskId, outline)
        if (row.outcome !== null) return Effect.succeed(row)
        const asked = SafeRecord.get(standings.tasks, taskId)?.asked
        return Effect.map(
          activityOf({ taskId, timeline: past.timeline, questions: row.waits, ...defined({ asked }) }),
          (activity): TaskRow => ({ ...row, activity }),
        )
      },
    }
  })

/** The rows of all these tasks. Waits for the index: without it, each list would read the whole log. */
export const all = (past: TimelineHistory, rows: Rows, ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { index } = yield* StudioLog
    yield* index.complete
    return yield* Effect.forEach(ids, (taskId) => rows.row(taskId, index.outline(past.spans, taskId)))
  })

/** The rows of a few tasks, without the index. */
export const some = (past: TimelineHistory, rows: Rows, ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { outline } = yield* StudioLog
    return yield* Effect.forEach(ids, (taskId) =>
      Effect.flatMap(outline(past, taskId), (outlined) => rows.row(taskId, outlined)),
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

interface Known {
  readonly past: TimelineHistory
  readonly standings: Standings.Standings
  readonly pending: PendingConfirmations
}

const rowOf = ({ past, standings, pending }: Known, taskId: string, outline: Outline): TaskRow => {
  const standing = SafeRecord.get(standings.tasks, taskId)
  const to = standing === undefined || standing.outcome === null ? outline.last : standing.to
  const kinds = outline.kinds()
  const waits = Object.values(pending).filter(
    (asked) => asked.taskId === taskId && (asked.timeline ?? MAIN) === past.timeline,
  )
  return {
    timeline: past.timeline,
    id: taskId,
    goal: standing?.goal ?? "",
    agent: standing?.agent ?? null,
    outcome: standing === undefined || standing.outcome === null ? null : Outcome.of(standing),
    activity: null,
    reason: standing?.reason ?? null,
    from: standing?.from ?? outline.positions[0] ?? 0,
    to,
    openedAt: standing?.openedAt ?? outline.times[0] ?? 0,
    closedAt: standing?.closedAt ?? null,
    events: outline.length,
    steps: outline.steps,
    score: standings.scoreOf(taskId),
    waits: waits.length,
    strip: Strip.of(kinds.slice(0, outline.countBefore(to + 1))),
  }
}
