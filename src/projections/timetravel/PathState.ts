/** Computes the part of a state that one path needs, often from few events. */

import { Effect } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import type { PositionOutOfRange } from "../../events/read/Moment.ts"
import * as fewEvents from "../projector/fewEvents.ts"
import { type EnvironmentState, projection } from "../state/EnvironmentState.ts"
import * as EventFilter from "./EventFilter.ts"
import type { TimelineHistory } from "./TimelineHistory.ts"

/**
 * Returns a state that is correct at and below a path. If the path is within one task or the shared scope and few
 * events can change it, folds only these.
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
