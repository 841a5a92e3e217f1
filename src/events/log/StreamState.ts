/** A recorder's knowledge of its stream: where its appends end, and which events are its own. */

import * as OneAtATime from "../../platform/OneAtATime.ts"
import type { Event } from "../vocabulary/Event.ts"
import type { CoreNewEvent, VersionConflict } from "./EventLog.ts"

/** The stream as of the end of all pending appends. */
export interface StreamState {
  version: number
  /** The highest version known to be committed. */
  committed: number
  /** All later events are this recorder's; infinite if none is known to be. */
  ownFrom: number
  /** Number of conflicts that corrected `version`. A conflict of an earlier round brings no newer version. */
  round: number
  pending: number
  /** Called at the end of each append. */
  readonly waiting: Set<() => void>
  /** Events that the next append brings. */
  held: ReadonlyArray<CoreNewEvent>
  /** False if the log may have the held events, because an append of them failed. */
  heldAreNew: boolean
  /** Serialises appends that no other program's events may precede. */
  readonly oneByOne: OneAtATime.OneAtATime
  readonly noticed: (events: ReadonlyArray<Event>) => void
  /** A change of the clock that no append has recorded yet. */
  readonly clockChange: () => CoreNewEvent | undefined
}

export const make = (noticed: StreamState["noticed"], clockChange: StreamState["clockChange"]): StreamState => ({
  version: 0,
  committed: 0,
  ownFrom: Number.POSITIVE_INFINITY,
  round: 0,
  pending: 0,
  waiting: new Set(),
  held: [],
  heldAreNew: true,
  noticed,
  clockChange,
  oneByOne: OneAtATime.make(),
})

/** After this recorder appended the stream's first events. */
export const begun = (state: StreamState, count: number): void => {
  state.version = count
  state.committed = count
  state.ownFrom = 0
}

/** After an append from version `expected` to `after`, at whose start `committed` was known. */
export const appendedAfter = (state: StreamState, expected: number, after: number, committed: number): void => {
  state.version = Math.max(state.version, after)
  state.committed = Math.max(state.committed, after)
  if (state.ownFrom === Number.POSITIVE_INFINITY) state.ownFrom = expected
  // Others may have appended the events between.
  else if (expected > committed) state.ownFrom = Math.max(state.ownFrom, expected)
}

/** After an append of a round met events of another program. */
export const rebase = (state: StreamState, { actual, missed }: VersionConflict, round: number): void => {
  if (round !== state.round) return
  state.noticed(missed)
  state.version = actual
  state.committed = actual
  state.ownFrom = actual
  state.round += 1
}

/** After a failed append: another program's events may stand unnoticed in place of its own. */
export const unsure = (state: StreamState): void => {
  if (state.ownFrom < state.version) state.ownFrom = state.version
}
