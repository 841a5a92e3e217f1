/** Follows a log of any backend: emits its past events, then new ones as they are committed. */

import { Chunk, type Duration, Effect, Option, Stream } from "effect"
import { yieldToEventLoop } from "../../platform/yieldToEventLoop.ts"
import { CaughtUp, type LogError, type Query } from "../log/EventLog.ts"
import type { Event, Head } from "../vocabulary/Event.ts"
import type { CommitNotifier } from "./CommitNotifier.ts"
import { PAGE_SIZE } from "./Pages.ts"

/** The parts of a log that following needs. */
export interface Source {
  readonly head: Effect.Effect<Head, LogError>
  readonly readPage: (query: Query, limit: number) => Effect.Effect<ReadonlyArray<Event>, LogError>
  /** Commits of this process. */
  readonly commits: CommitNotifier
  /** How often to poll for commits of other processes. Absent if no other process can append. */
  readonly pollEvery?: Duration.DurationInput
}

/**
 * Follows a log: whenever something may have been committed, reads on from the last position. All events come from the
 * same ordered read, so that none is lost or repeated, whichever process appended it.
 */
export const follow = (source: Source, query: Omit<Query, "until">): Stream.Stream<Event | CaughtUp, LogError> =>
  Stream.paginateChunkEffect({ after: query.after ?? 0, caughtUp: false }, ({ after, caughtUp }) =>
    Effect.gen(function* () {
      const head = yield* caughtUp ? newHead(source, after) : source.head
      const page = yield* source.readPage({ ...query, after, until: head.position }, PAGE_SIZE)
      const full = page.length === PAGE_SIZE
      if (full) yield* yieldToEventLoop
      const next = full ? (page.at(-1)?.position ?? after) : Math.max(after, head.position)
      const emitted: Array<Event | CaughtUp> = [...page]
      if (!full && !caughtUp) emitted.push(new CaughtUp({ position: next }))
      return [Chunk.unsafeFromArray(emitted), Option.some({ after: next, caughtUp: caughtUp || !full })] as const
    }),
  )

/** Waits until the head is past a position. */
const newHead = (source: Source, after: number): Effect.Effect<Head, LogError> =>
  Effect.repeat(awaitHead(source, after), { until: (head) => head.position > after })

/** Reads the head; if it is not past the position, waits for a commit or the next poll. */
const awaitHead = ({ head, commits, pollEvery }: Source, after: number): Effect.Effect<Head, LogError> =>
  Effect.acquireUseRelease(
    // The subscription begins before the head is read, so that no commit is missed in between.
    Effect.sync(() => commits.subscribe()),
    ({ committed }) =>
      Effect.tap(head, ({ position }) => {
        if (position > after) return Effect.void
        return pollEvery === undefined ? committed : Effect.raceFirst(committed, Effect.sleep(pollEvery))
      }),
    ({ unsubscribe }) => Effect.sync(unsubscribe),
  )
