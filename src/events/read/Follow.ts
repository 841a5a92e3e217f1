/** Follows a log of any backend: past events, then new ones as they are committed. */

import { Chunk, Effect, Option, Stream } from "effect"
import { yieldToEventLoop } from "../../platform/yieldToEventLoop.ts"
import { CaughtUp, type LogError, type Query } from "../log/EventLog.ts"
import type { Event, Head } from "../vocabulary/Event.ts"
import { awaiting, type CommitNotifier } from "./CommitNotifier.ts"
import { widened } from "./ExpandedReads.ts"
import { PAGE_SIZE } from "./Pages.ts"
import { matches } from "./QueryMatch.ts"

export interface Source {
  readonly head: Effect.Effect<Head, LogError>
  readonly readPage: (query: Query, limit: number) => Effect.Effect<ReadonlyArray<Event>, LogError>
  /** Commits of this process, and of all others that can append. */
  readonly commits: CommitNotifier
  readonly mayHave: (query: Query) => boolean
}

/**
 * Follows a log: reads on from the last position whenever an event that the query selects may have been committed. One
 * ordered read delivers all events, so none is lost or repeated, whichever process appended it.
 */
export const follow = (source: Source, query: Omit<Query, "until">): Stream.Stream<Event | CaughtUp, LogError> =>
  Stream.paginateChunkEffect({ after: query.after ?? 0, caughtUp: false }, ({ after, caughtUp }) =>
    Effect.gen(function* () {
      const head = yield* caughtUp ? newHead(source, { ...query, after }) : source.head
      const page = yield* source.readPage({ ...query, after, until: head.position }, PAGE_SIZE)
      const full = page.length === PAGE_SIZE
      if (full) yield* yieldToEventLoop
      const next = full ? (page.at(-1)?.position ?? after) : Math.max(after, head.position)
      const emitted: Array<Event | CaughtUp> = [...page]
      if (!full && !caughtUp) emitted.push(new CaughtUp({ position: next }))
      return [Chunk.unsafeFromArray(emitted), Option.some({ after: next, caughtUp: caughtUp || !full })] as const
    }),
  )

/** The head, once it is past the query's position and may include an event that the query selects. */
const newHead = (source: Source, query: Query & { readonly after: number }): Effect.Effect<Head, LogError> =>
  Effect.acquireUseRelease(
    // Listens before it asks, so that it misses no commit in between.
    Effect.sync(() => {
      const wide = widened(query)
      return awaiting(source.commits.listen, (event) => matches(wide, event))
    }),
    ({ committed }) => {
      const isNew = ({ position }: Head) => position > query.after
      const later: Effect.Effect<Head, LogError> = Effect.flatMap(Effect.zipRight(committed, source.head), (head) =>
        isNew(head) ? Effect.succeed(head) : later,
      )
      return Effect.suspend(() =>
        source.mayHave(widened(query))
          ? Effect.flatMap(source.head, (head) => (isNew(head) ? Effect.succeed(head) : later))
          : later,
      )
    },
    ({ end }) => Effect.sync(end),
  )
