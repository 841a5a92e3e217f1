/** A log whose appends can be stopped for one task, so that the task stays in the log as it is. */

import { Effect } from "effect"
import { type EventLog, LeaseLost } from "../../events/log/EventLog.ts"

/** The log of one task, and how to stop its appends. */
export interface Suspension {
  readonly log: EventLog.Service
  /** From now on every append fails with `LeaseLost`, as those of a kernel that was killed do not happen. */
  readonly suspend: Effect.Effect<void>
}

/** A log for one task. */
export const make = (log: EventLog.Service, taskId: string): Suspension => {
  let isSuspended = false
  return {
    log: {
      ...log,
      append: (request) =>
        Effect.suspend(() =>
          isSuspended ? new LeaseLost({ log: log.name, owner: "hindcast", suspended: taskId }) : log.append(request),
        ),
    },
    suspend: Effect.sync(() => {
      isSuspended = true
    }),
  }
}
