/** Stops the appends of one task, so that it stays in the log as it is. */

import { Effect } from "effect"
import { type EventLog, LeaseLost } from "../../events/log/EventLog.ts"

export interface Suspension {
  readonly log: EventLog.Service
  /** Makes every later append fail with `LeaseLost`: like a killed kernel, this one appends nothing more. */
  readonly suspend: Effect.Effect<void>
}

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
