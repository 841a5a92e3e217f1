/** The audit of one task: the document, its fold, and its computation from the log. */

import { Effect } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as Projection from "../fold/Projection.ts"
import { document, projection, type TaskAudit, type TaskNotFound } from "./AuditDocument.ts"
import * as Verdicts from "./Verdicts.ts"

export { document, fold, projection, type State, TaskAudit, TaskNotFound } from "./AuditDocument.ts"

/**
 * Computes the audit of a task at the head of the log from filtered reads: the scorings that name the task, and the
 * task's own events, page by page.
 */
export const load = (taskId: string): Effect.Effect<TaskAudit, TaskNotFound | LogError, EventLog> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { position: until } = yield* log.head
    const about = yield* Verdicts.scoringsAbout(log, [taskId], until)
    // The task's own are among its events.
    const scorings = about.filter((event) => event.taskId !== taskId)
    const fold = projection(taskId)
    let state = fold.initial
    let next = 0
    const foldScorings = (upTo: number) => {
      for (let event = scorings[next]; event !== undefined && event.position < upTo; event = scorings[++next]) {
        state = Projection.step(fold, state, event)
      }
    }
    yield* Pages.forEach(log.readPage, { until, timeline: log.timeline, taskId }, (page) => {
      for (const event of page) {
        foldScorings(event.position)
        state = Projection.step(fold, state, event)
      }
    })
    foldScorings(Number.POSITIVE_INFINITY)
    return yield* document(taskId, state)
  })
