/** What a recorder knows of its stream: up to where its appends go, and which of its events are its own. */

import * as OneAtATime from "../../platform/OneAtATime.ts"
import type { Event } from "../vocabulary/Event.ts"
import type { CoreNewEvent, VersionConflict } from "./EventLog.ts"

/** The stream as it will be when all pending appends are committed. */
export interface StreamState {
  version: number
  /** The version that is known to be committed. */
  committed: number
  /** All events after this version are this recorder's; infinite where none is known to be. */
  ownFrom: number
  /**
   * Counts the conflicts that corrected `version`. A conflict of an append from an earlier round carries no newer
   * version.
   */
  round: number
  /** How many appends are pending. */
  pending: number
  /** Told of the end of each append. */
  readonly waiting: Set<() => void>
  /** The events that the next append brings. */
  held: ReadonlyArray<CoreNewEvent>
  /** Whether they are certainly not in the log: no append of them failed. */
  heldAreNew: boolean
  /** Those that no other program's events may precede append one by one. */
  readonly oneByOne: OneAtATime.OneAtATime
  readonly noticed: (events: ReadonlyArray<Event>) => void
  /** A change of the clock that no append has brought yet; undefined if there is none. */
  readonly clockChange: () => CoreNewEvent | undefined
}

/** A stream of which nothing is known. */
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

/** This recorder appended the first event. */
export const begun = (state: StreamState): void => {
  state.version = 1
  state.committed = 1
  state.ownFrom = 0
}

/** Events that were expected after a version were appended, up to another; so many were known to be committed when they were begun. */
export const appendedAfter = (state: StreamState, expected: number, after: number, committed: number): void => {
  state.version = Math.max(state.version, after)
  state.committed = Math.max(state.committed, after)
  if (state.ownFrom === Number.POSITIVE_INFINITY) state.ownFrom = expected
  // Others may have appended what stands between.
  else if (expected > committed) state.ownFrom = Math.max(state.ownFrom, expected)
}

/** An append of a round met events of another program. */
export const rebase = (state: StreamState, { actual, missed }: VersionConflict, round: number): void => {
  if (round !== state.round) return
  state.noticed(missed)
  state.version = actual
  state.committed = actual
  state.ownFrom = actual
  state.round += 1
}

/** After an append that failed, events of another program could stand where its events were expected, unnoticed. */
export const unsure = (state: StreamState): void => {
  if (state.ownFrom < state.version) state.ownFrom = state.version
}
