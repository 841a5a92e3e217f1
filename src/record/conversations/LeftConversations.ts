/** The conversations that an earlier process left open in a log, so that requests which continue them are known. */

import { Effect } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import type { RecorderMeans } from "../../events/vocabulary/Tasks.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as Recorders from "../../kernel/recovery/Recorders.ts"
import * as TaskList from "../../projections/state/TaskList.ts"
import * as OwnTime from "../../values/time/OwnTime.ts"
import * as OpenedLog from "../log/OpenedLog.ts"
import type { Conversations } from "./Conversations.ts"
import * as Past from "./Past.ts"

/** Maximum number of them: the newest ones. */
const MOST = 1_000

/** How conversations are recalled. */
export interface Recall {
  readonly conversations: Conversations
  /** The means by which they were recorded. */
  readonly means: RecorderMeans | undefined
  /** How long a conversation may be silent, in milliseconds. */
  readonly idleMs: number
}

/**
 * Takes note of what was left.
 *
 * @returns the tasks of conversations that were silent for too long
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
 * Takes note of one conversation, if it was left.
 *
 * @returns whether it was silent for too long
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
    Past.recall(conversations.of(taskId), events)
    return OwnTime.between(events.at(-1)?.recordedAt ?? 0, Date.now()) > idleMs
  })
