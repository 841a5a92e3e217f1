/** Finds the first snapshot of a task's files. */
import { Effect } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as FileStates from "../../projections/state/files/FileStates.ts"
import type { TimelineHistory } from "../../projections/timetravel/TimelineHistory.ts"

/** The position of the first snapshot; undefined if the task's files were not recorded. */
export const firstSnapshot = (past: TimelineHistory, taskId: string): Effect.Effect<number | undefined, LogError> =>
  Effect.map(
    past.readPage({ taskId, types: ["EnvironmentReset"], plugin: FileStates.PLUGIN }, MAX_RESETS),
    (resets) =>
      resets.find(
        (event) =>
          is(event, "EnvironmentReset") &&
          event.payload.plugin === FileStates.PLUGIN &&
          FileStates.start(event.payload.state) !== undefined,
      )?.position,
  )

/** The files are recorded from the task's first events on. */
const MAX_RESETS = 100
