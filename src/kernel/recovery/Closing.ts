/** Closes tasks whose kernel or recorder died. */

import { Effect } from "effect"
import { type AppendError, EventLog, type LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import * as Vocabulary from "../../events/vocabulary/Vocabulary.ts"
import * as Projection from "../../projections/fold/Projection.ts"
import * as Unfinished from "../../projections/unfinished/Unfinished.ts"
import * as RecoveryPlan from "./RecoveryPlan.ts"

/** Runs after a task's `TaskClosed` is in the log. */
export type OnClosed<R> = (log: EventLog.Service, closed: Event) => Effect.Effect<void, AppendError, R>

/** Closes one task, if it is open. Reads only that task's events. */
export const closeTask = <R>(
  taskId: string,
  onClosed: OnClosed<R>,
  gone: RecoveryPlan.GoneReason = "its kernel ended",
): Effect.Effect<void, AppendError, EventLog | R> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const state = yield* unfinishedIn(log, taskId)
    const questions = RecoveryPlan.questionsOf(state, taskId, gone)
    const ending = RecoveryPlan.taskEnding(state, taskId, gone)
    for (const one of [...questions, ...(ending === undefined ? [] : [ending])]) {
      const closed = (yield* close(log, state, one, gone)).find((event) => Vocabulary.is(event, "TaskClosed"))
      if (closed !== undefined) yield* onClosed(log, closed)
    }
  })

const unfinishedIn = (log: EventLog.Service, taskId: string): Effect.Effect<Unfinished.Unfinished, LogError> =>
  Effect.suspend(() => {
    const folding = Projection.begin(Unfinished.projection, Unfinished.projection.initial)
    return Effect.map(
      Pages.forEach(log.readPage, { timeline: log.timeline, taskId }, (page) =>
        Projection.applyAll(Unfinished.projection, folding, page),
      ),
      () => folding.state(),
    )
  })

/** Appends closing events. On a conflict, derives them again from the events that it missed. */
export const close = (
  log: EventLog.Service,
  state: Unfinished.Unfinished,
  ending: RecoveryPlan.RecoveryAppend,
  gone: RecoveryPlan.GoneReason = "its kernel ended",
): Effect.Effect<ReadonlyArray<Event>, AppendError> =>
  Effect.map(log.append({ ...ending, actor: "kernel" }), ({ events }) => events).pipe(
    Effect.catchTag("VersionConflict", ({ missed }) => {
      // Another process records the task now.
      if (missed.some((event) => Vocabulary.is(event, "RecorderJoined"))) return Effect.succeed([])
      // Somebody decided the confirmation in the meantime: nothing to withdraw.
      if (ending.taskId === null || ending.stream !== `task/${ending.taskId}`) return Effect.succeed([])
      const now = Projection.fold(Unfinished.projection, missed, state)
      const left = RecoveryPlan.taskEnding(now, ending.taskId, gone)
      return left === undefined ? Effect.succeed([]) : close(log, now, left, gone)
    }),
  )
