/** Answers `/api/tree`: a task with the tasks below it, and their sums, as `hindcast audit --tree` adds them up. */

import { Effect } from "effect"
import { MAIN } from "../../../events/log/EventLog.ts"
import * as Outcome from "../../../projections/summary/Outcome.ts"
import * as TreeAudit from "../../../projections/tree/TreeAudit.ts"
import * as TaskRows from "../../course/TaskRows.ts"
import { StudioLog } from "../../StudioLog.ts"
import type { TaskTree } from "../../wire/Task.ts"
import type { TaskQuery } from "../Tasks.ts"

/** Maximum number of listed tasks. */
const MOST = 500

export const tree = ({ timeline, task }: typeof TaskQuery.Type) =>
  Effect.gen(function* () {
    const studio = yield* StudioLog
    const { total, tasks } = yield* TreeAudit.load(task, timeline)
    // A fork's children are on `main`.
    const [own, main] = [yield* studio.past(timeline), yield* studio.past(MAIN)]
    const states = { own: yield* TaskRows.of(own), main: timeline === MAIN ? undefined : yield* TaskRows.of(main) }
    const listed = tasks.slice(0, MOST)
    const rows = yield* Effect.forEach(listed, (node) =>
      Effect.gen(function* () {
        const { taskId, depth, agent, goal, reason = null, own, all } = node
        const rows = depth === 0 ? states.own : (states.main ?? states.own)
        const activity = node.outcome === null ? yield* rows.activity(taskId) : null
        return {
          ...{ task: taskId, timeline: depth === 0 ? timeline : MAIN, depth, agent, goal, reason, own, all, activity },
          outcome: node.outcome === null ? null : Outcome.of(node),
        }
      }),
    )
    return { total, tasks: rows, left: tasks.length - listed.length } satisfies TaskTree
  })
