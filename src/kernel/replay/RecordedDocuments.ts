/** The documents of environments as a recording has them, while an agent is led over it. */

import type { Event } from "../../events/vocabulary/Event.ts"
import * as EnvironmentState from "../../projections/state/EnvironmentState.ts"
import type { Json } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"

/** The documents at a place of the recording that moves forward. */
export interface RecordedDocuments {
  /** The document of a plugin's environment; undefined if it has none. */
  readonly of: (plugin: string) => Json | undefined
  /** Moves the place to a position, if it lies later. */
  readonly advance: (position: number) => void
}

/** The documents of a task, at first after the resets that its opening made. */
export const make = (events: ReadonlyArray<Event>): RecordedDocuments => {
  const state = EnvironmentState.ofTask()
  let [next, place] = [0, 0]
  const fold = () => {
    for (let event = events[next]; event !== undefined; event = events[++next]) {
      if (event.position > place && !SET_UP.has(event.type)) return
      state.apply(event)
    }
  }
  return {
    of: (plugin) => {
      fold()
      return SafeRecord.get(state.state().environment, plugin)
    },
    advance: (position) => {
      if (Number.isFinite(position)) place = Math.max(place, position)
    },
  }
}

/** What is recorded of a task before its agent requests anything, also where another kernel had to go on with that. */
const SET_UP: ReadonlySet<string> = new Set([
  ...["TaskOpened", "EnvironmentDescribed", "EnvironmentReset", "ScoringStarted", "PluginStarted", "AgentJoined"],
  ...["TaskResumed", "EnvironmentRestored", "PluginExited"],
])
