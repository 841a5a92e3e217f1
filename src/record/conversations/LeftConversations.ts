/** The conversations that an earlier process left open in a log, so that requests which continue them are known. */

import { Effect } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import type { RecorderMeans } from "../../events/vocabulary/Tasks.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as Recorders from "../../kernel/recovery/Recorders.ts"
import * as TaskList from "../../projections/state/TaskList.ts"
import * as OpenedLog from "../log/OpenedLog.ts"
import type { Conversations } from "./Conversations.ts"
import * as Past from "./Past.ts"

/** Maximum number of them: the newest ones. */
const MOST = 1_000

/** Takes note of them, by the means by which they were recorded. */
export const recall = (
  opened: OpenedLog.OpenedLog,
  conversations: Conversations,
  means: RecorderMeans | undefined,
): Promise<void> =>
  opened.run(
    Effect.gen(function* () {
      const log = yield* EventLog
      const open = yield* TaskList.open(log)
      for (const [taskId] of open.slice(-MOST)) {
        if ((yield* Recorders.currentOf(log, taskId)) !== "left") continue
        const events = yield* OpenedLog.eventsOf(log, taskId)
        const [first] = events
        if (first === undefined || !is(first, "TaskOpened")) continue
        if (first.payload.recorder?.means !== means?.means) continue
        if (events.some(({ personal }) => personal?.readable === false)) continue
        Past.recall(conversations.of(taskId), events)
      }
    }),
  )
