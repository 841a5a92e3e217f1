import { Chunk, type Duration, Effect, Option, PubSub, Queue, Stream } from "effect"
import type { Event } from "./Event.ts"
import { CaughtUp, type Head, type LogError, type Query } from "./EventLog.ts"
import { PAGE_SIZE } from "./Pages.ts"

/** What following needs of a log. */
export interface Source {
  readonly head: Effect.Effect<Head, LogError>
  readonly readPage: (query: Query, limit: number) => Effect.Effect<ReadonlyArray<Event>, LogError>
  /** Published to after each commit of this process. */
  readonly committed: PubSub.PubSub<void>
  /** How often to look for what other processes committed; absent where none can. */
  readonly pollEvery?: Duration.DurationInput
}

/**
 * Follows a log by reading it again from where it stopped, each time something may have been committed. Since every
 * event comes from the same ordered read, none can be lost or doubled, whoever appended it.
 */
export const follow = (source: Source, query: Query): Stream.Stream<Event | CaughtUp, LogError> =>
  Stream.unwrapScoped(
    Effect.map(PubSub.subscribe(source.committed), (commits) => {
      const wait =
        source.pollEvery === undefined
          ? Queue.take(commits)
          : Effect.raceFirst(Queue.take(commits), Effect.sleep(source.pollEvery))

      const step = ({ after, caughtUp }: { readonly after: number; readonly caughtUp: boolean }) =>
        Effect.gen(function* () {
          const head = yield* source.head
          const page = yield* source.readPage({ ...query, after, until: head.position }, PAGE_SIZE)
          const next = page.length === PAGE_SIZE ? (page.at(-1)?.position ?? after) : Math.max(after, head.position)
          const emitted: Array<Event | CaughtUp> = [...page]
          const reachedHead = page.length < PAGE_SIZE
          if (reachedHead && !caughtUp) emitted.push(new CaughtUp({ position: next }))
          else if (emitted.length === 0) yield* wait
          return [Chunk.fromIterable(emitted), Option.some({ after: next, caughtUp: caughtUp || reachedHead })] as const
        })
      return Stream.paginateChunkEffect({ after: query.after ?? 0, caughtUp: false }, step)
    }),
  )
