/** The recorded documents of environments, while an agent replays the recording. */

import type { Event } from "../../events/vocabulary/Event.ts"
import * as EnvironmentState from "../../projections/state/EnvironmentState.ts"
import type { Json } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"

/** Reads documents at positions that only move forward. */
export interface RecordedDocuments {
  /** The document of a plugin before a position, if it has one. */
  readonly of: (plugin: string, before: number) => Json | undefined
}

export const make = (events: ReadonlyArray<Event>): RecordedDocuments => {
  const state = EnvironmentState.ofTask()
  let next = 0
  return {
    of: (plugin, before) => {
      for (let event = events[next]; event !== undefined && event.position < before; event = events[++next]) {
        state.apply(event)
      }
      return SafeRecord.get(state.state().environment, plugin)
    },
  }
}
