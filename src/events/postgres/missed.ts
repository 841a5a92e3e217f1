/** The results of a batch, with the events that conflicts have missed: read first, each query once. */

import { Either } from "effect"
import * as Sequencer from "../append/Sequencer.ts"
import type { CommitResult } from "../append/Writer.ts"
import type { LogError, Query } from "../log/EventLog.ts"
import type { DiskFull } from "../log/LogErrors.ts"
import type { Event } from "../vocabulary/Event.ts"

export type ReadMissed = (
  query: Query,
  limit: number,
) => Promise<Either.Either<ReadonlyArray<Event>, LogError | DiskFull>>

/** `Sequencer.toResult` for a reader that takes a round trip. */
export const missedBy = async (
  placements: ReadonlyArray<Sequencer.Placement>,
  read: ReadMissed,
): Promise<ReadonlyArray<CommitResult>> => {
  const wanted = new Map<string, readonly [Query, number]>()
  const asked = new Map<Sequencer.Placement, string>()
  for (const placement of placements) {
    if (placement.kind !== "conflict") continue
    Sequencer.toResult(placement, (query, limit) => {
      const key = JSON.stringify([query, limit])
      wanted.set(key, [query, limit])
      asked.set(placement, key)
      return []
    })
  }
  const found = new Map<string, Awaited<ReturnType<ReadMissed>>>()
  for (const [key, [query, limit]] of wanted) found.set(key, await read(query, limit))
  return placements.map((placement) => {
    const missed = found.get(asked.get(placement) ?? "") ?? Either.right([])
    // Each caller gets a copy.
    return Either.isLeft(missed)
      ? Either.left(missed.left)
      : Sequencer.toResult(placement, () => structuredClone(missed.right))
  })
}
