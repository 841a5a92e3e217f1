/** The last position of each stream and type among a log's newest events: tells without a read that there is nothing new. */

import type { Committed, Query } from "../log/EventLog.ts"

/** Most streams that are known. Beyond that all of them are forgotten. */
const MAX_STREAMS = 10_000

/** The last positions in a log, as far as they are known. */
export interface LastPositions {
  /** Takes note of events, each directly after the one before. */
  readonly take: (events: ReadonlyArray<Committed>) => void
  /** Forgets everything: nothing is known of events up to this position. */
  readonly startAfter: (position: number) => void
  /** Whether there may be an event that a query selects; see `EventLog.mayHave`. */
  readonly mayHave: (query: Query) => boolean
}

/** The last positions, of which none is known yet: not even those of an empty log, before `startAfter`. */
export const make = (): LastPositions => {
  /** Everything after this position is known. */
  let from = Number.POSITIVE_INFINITY
  let last = 0
  const [ofStream, ofType] = [new Map<string, number>(), new Map<string, number>()]

  const startAfter = (position: number) => {
    from = position
    last = position
    ofStream.clear()
    ofType.clear()
  }

  const isLater = (positions: ReadonlyMap<string, number>, name: string, after: number) =>
    (positions.get(name) ?? 0) > after

  return {
    startAfter,
    take: (events) => {
      for (const { position, stream, type } of events) {
        ofStream.set(stream, position)
        ofType.set(type, position)
        last = position
      }
      if (ofStream.size > MAX_STREAMS) startAfter(last)
    },
    mayHave: ({ after = 0, stream, types }) => {
      if (after < from) return true
      if (after >= last || (stream !== undefined && !isLater(ofStream, stream, after))) return false
      return types === undefined || types.some((type) => isLater(ofType, type, after))
    },
  }
}
