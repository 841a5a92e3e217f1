/** Tells, mostly without a read, whether a log may have an event. */

import { Effect } from "effect"
import type { EventLog, LogError, Query } from "../log/EventLog.ts"

/** False only if the log had no event for the query at the time of the call. See `mayHave` and `glance` of `EventLog`. */
export const mayHave = (log: EventLog.Service, query: Query): Effect.Effect<boolean, LogError> =>
  log.glance === undefined
    ? Effect.sync(() => log.mayHave?.(query) !== false)
    : Effect.map(log.glance, (glance) => glance.mayHave(query))
