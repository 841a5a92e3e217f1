/** Reads the capture of a task: the parts that its recorder or import saw. */

import { Effect } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as Capture from "../../projections/state/Capture.ts"
import * as CaptureSummary from "../../projections/state/CaptureSummary.ts"
import type { TimelineHistory } from "../../projections/timetravel/TimelineHistory.ts"

export const isCaptured = (past: TimelineHistory, taskId: string): Effect.Effect<boolean, LogError> =>
  Effect.map(
    past.readPage({ taskId, types: ["TaskOpened"] }, 1),
    ([opened]) => opened !== undefined && is(opened, "TaskOpened") && Capture.isCaptured(opened.payload, opened.actor),
  )

/** The capture in rows of words; empty for a task that a kernel ran. */
export const rows = (
  past: TimelineHistory,
  taskId: string,
): Effect.Effect<ReadonlyArray<CaptureSummary.CaptureRow>, LogError> =>
  Effect.suspend(() => {
    const { projection } = Capture
    let state = projection.initial
    return Effect.map(
      Pages.forEach(past.readPage, { taskId, types: Capture.TYPES }, (page) => {
        for (const event of page) state = projection.evolve(state, event)
      }),
      () => {
        const captured = Capture.section(state)
        return captured === undefined ? [] : CaptureSummary.rows(captured)
      },
    )
  })
