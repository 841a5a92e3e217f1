/** The state at a moment as far as one path needs it, which may take a few events instead of the whole log. */

import { Effect } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import type { PositionOutOfRange } from "../../events/read/Moment.ts"
import * as fewEvents from "../projector/fewEvents.ts"
import { type EnvironmentState, projection } from "../state/EnvironmentState.ts"
import * as EventFilter from "./EventFilter.ts"
import type { TimelineHistory } from "./TimelineHistory.ts"

/**
 * A state whose values at and below a path are those of the whole state. A path within one task, or in what all tasks
 * share, is answered from that task's events, or from those of no task, however long the log is.
 */
export const at = (
  past: TimelineHistory,
  keys: ReadonlyArray<string>,
  position: number,
): Effect.Effect<EnvironmentState, PositionOutOfRange | LogError> =>
  Effect.gen(function* () {
    const filter = EventFilter.ofPath(keys)
    const isNarrow = filter !== undefined && !EventFilter.isWide(keys)
    const found = isNarrow
      ? yield* fewEvents.fold(past.readPage, { ...filter, until: position }, projection)
      : undefined
    return found ?? (yield* past.stateAt(position))
  })
