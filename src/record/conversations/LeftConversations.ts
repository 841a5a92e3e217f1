/** Finds conversations that an earlier process left open, so that requests can continue them. */

import { Effect } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import type { RecorderMeans } from "../../events/vocabulary/Tasks.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as Recorders from "../../kernel/recovery/Recorders.ts"
import * as TaskList from "../../projections/state/TaskList.ts"
import * as OwnTime from "../../values/time/OwnTime.ts"
import * as OpenedLog from "../log/OpenedLog.ts"
import * as ConversationHistory from "./ConversationHistory.ts"
import type { Conversations } from "./Conversations.ts"

/** Maximum number of conversations; the newest count. */
const MOST = 1_000

export interface Recall {
  readonly conversations: Conversations
  /** Only conversations recorded by the same means are recalled. */
  readonly means: RecorderMeans | undefined
  /** Milliseconds after which a conversation counts as idle. */
  readonly idleMs: number
}

/**
 * Registers the open conversations.
 *
 * @returns the tasks of idle conversations
 */
export const recall = (opened: OpenedLog.OpenedLog, recall: Recall): Promise<ReadonlyArray<string>> =>
  opened.run(
    Effect.gen(function* () {
      const open = yield* TaskList.open(yield* EventLog)
      const silent: Array<string> = []
      for (const [taskId] of open.slice(-MOST)) if (yield* recallTask(taskId, recall)) silent.push(taskId)
      return silent
    }),
  )

/**
 * Registers one conversation if it was left open.
 *
 * @returns whether it is idle
 */
export const recallTask = (
  taskId: string,
  { conversations, means, idleMs }: Recall,
): Effect.Effect<boolean, LogError, EventLog> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    if ((yield* Recorders.currentOf(log, taskId)) !== "left") return false
    const events = yield* OpenedLog.eventsOf(log, taskId)
    const [first] = events
    if (first === undefined || !is(first, "TaskOpened")) return false
    if (first.payload.recorder?.means !== means?.means) return false
    if (events.some(({ personal }) => personal?.readable === false)) return false
    ConversationHistory.recall(conversations.of(taskId), events)
    return OwnTime.between(events.at(-1)?.recordedAt ?? 0, Date.now()) > idleMs
  })
