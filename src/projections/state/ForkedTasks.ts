/** Lists the tasks that were continued on forks. */

import { Effect } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import type { JsonObject } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { applyAll, begin } from "../fold/Projection.ts"
import * as Tasks from "./Tasks.ts"

/** A fork, and the task that was continued on it. */
export interface ForkedTask {
  readonly timeline: string
  readonly parent: string
  /** The last position that it shares with its parent. */
  readonly at: number
  readonly overrides: JsonObject
  readonly forkedAt: number
  readonly taskId: string
  readonly task: Tasks.Task
}

/** The forked tasks of a log in the order of their forks, each folded on its own timeline. */
export const list: Effect.Effect<ReadonlyArray<ForkedTask>, LogError, EventLog> = Effect.gen(function* () {
  const log = yield* EventLog
  const forks: Array<ForkedTask> = []
  for (const timeline of yield* Timelines.list(log)) {
    const { name, parent, forked } = timeline
    const taskId = forked?.taskId ?? null
    if (parent === null || forked === null || taskId === null) continue
    const builder = begin(Tasks.projection, Tasks.projection.initial)
    yield* Pages.forEach(Timelines.view(log, timeline).readPage, { timeline: name, taskId }, (page) =>
      applyAll(Tasks.projection, builder, page),
    )
    const task = SafeRecord.get(builder.state(), taskId)
    if (task === undefined) continue
    const overrides = forked.payload.overrides as JsonObject
    forks.push({
      timeline: name,
      parent: parent.name,
      at: parent.at,
      overrides,
      forkedAt: forked.recordedAt,
      taskId,
      task,
    })
  }
  return forks
})
