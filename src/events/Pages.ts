import { Chunk, Effect, Option, Stream } from "effect"
import type { Event } from "./Event.ts"
import type { LogError, Query } from "./EventLog.ts"
import { turn } from "./Turn.ts"

/** Events read in one step: where reading in pages is as fast as reading at once. */
export const PAGE_SIZE = 1000

/** Reads one page of what a query selects. */
export type ReadPage = (query: Query, limit: number) => Effect.Effect<ReadonlyArray<Event>, LogError>

/** Reads in pages until a page is not full, in constant memory. Between two pages the event loop gets its turn. */
export const stream = (readPage: ReadPage, query: Query): Stream.Stream<Event, LogError> =>
  Stream.paginateChunkEffect(query.after ?? 0, (after) =>
    Effect.gen(function* () {
      const page = yield* readPage({ ...query, after }, PAGE_SIZE)
      const last = page.length === PAGE_SIZE ? page.at(-1) : undefined
      if (last !== undefined) yield* turn
      return [Chunk.unsafeFromArray(page), Option.map(Option.fromNullable(last), (event) => event.position)] as const
    }),
  )

/** The same for a fold: `take` is given every page in turn. */
export const forEach = (
  readPage: ReadPage,
  query: Query,
  take: (page: ReadonlyArray<Event>) => void,
): Effect.Effect<void, LogError> =>
  Stream.runForEachChunk(stream(readPage, query), (page) => Effect.sync(() => take(Chunk.toReadonlyArray(page))))
