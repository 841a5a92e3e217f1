/** Tells tasks of several agents from others. */

import { Effect } from "effect"
import type { LogError } from "../../../events/log/EventLog.ts"
import { is } from "../../../events/vocabulary/Vocabulary.ts"
import type { TimelineHistory } from "../../../projections/timetravel/TimelineHistory.ts"

/** Whether a task was opened for several agents. */
export const isOfSeveral = (past: TimelineHistory, taskId: string): Effect.Effect<boolean, LogError> =>
  Effect.map(
    past.readPage({ taskId, types: ["TaskOpened"] }, 1),
    ([opened]) => opened !== undefined && is(opened, "TaskOpened") && (opened.payload.agents?.length ?? 0) > 1,
  )
