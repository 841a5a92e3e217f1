/** The last position of each stream and type among the newest events. It tells without a read that nothing is new. */

import type { Committed, Query } from "../log/EventLog.ts"

/** With more streams, it forgets everything. */
const MAX_STREAMS = 10_000

export interface LastPositions {
  /** Adds events, each directly after the one before. */
  readonly take: (events: ReadonlyArray<Committed>) => void
  /** Forgets everything up to this position. */
  readonly startAfter: (position: number) => void
  /** See `EventLog.mayHave`. */
  readonly mayHave: (query: Query) => boolean
}

/** Creates an empty memory, which knows nothing before `startAfter`, not even that a log is empty. */
export const make = (): LastPositions => {
  /** Complete after this position. */
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
