import { Chunk, Effect, Option, Stream } from "effect"
import type { Event } from "./Event.ts"
import type { LogError, Query } from "./EventLog.ts"

/** Events read in one step: where reading in pages is as fast as reading at once. */
export const PAGE_SIZE = 1000

/** Reads in pages until a page is not full, in constant memory. */
export const stream = (
  readPage: (query: Query, limit: number) => Effect.Effect<ReadonlyArray<Event>, LogError>,
  query: Query,
): Stream.Stream<Event, LogError> =>
  Stream.paginateChunkEffect(query.after ?? 0, (after) =>
    Effect.map(readPage({ ...query, after }, PAGE_SIZE), (page) => {
      const last = page.length === PAGE_SIZE ? page.at(-1) : undefined
      return [Chunk.unsafeFromArray(page), Option.map(Option.fromNullable(last), (event) => event.position)] as const
    }),
  )
