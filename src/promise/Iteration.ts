/** Streams as async iterables. */

import { Cause, Chunk, Deferred, Effect, ExecutionStrategy, Exit, FiberId, Option, Scope, Stream } from "effect"
import type { Signal } from "../plugins/author.ts"
import { type Calls, Closed } from "./Calls.ts"

/** How an iteration may end before its stream. */
export interface IterationOptions {
  readonly signal?: Signal | undefined
  /**
   * If true, closing Hindcast ends a started iteration; otherwise the iteration fails with `Closed`. Default: false.
   */
  readonly endsAtClose?: boolean
}

/**
 * Converts a stream. Each `for await` runs the stream from its start, reading ahead at most the rest of a page. Leaving
 * the loop ends the stream and releases its resources.
 */
export const iterable = <A, E>(
  calls: Calls,
  stream: Stream.Stream<A, E>,
  options: IterationOptions = {},
): AsyncIterable<A> => ({ [Symbol.asyncIterator]: () => iterator(calls, stream, options) })

const DONE = { done: true, value: undefined } as const

const iterator = <A, E>(
  calls: Calls,
  stream: Stream.Stream<A, E>,
  { signal, endsAtClose = false }: IterationOptions,
): AsyncIterator<A, undefined> => {
  const oneAtATime = Effect.unsafeMakeSemaphore(1).withPermits(1)
  const stopped = Deferred.unsafeMake<never, Option.Option<never>>(FiberId.none)
  let opened: { readonly scope: Scope.CloseableScope; readonly pull: Pull<A, E> } | undefined
  let page: ReadonlyArray<A> = []
  let taken = 0
  let waiting = 0
  let begun = false
  let over = false

  const open = Effect.gen(function* () {
    const scope = yield* Scope.fork(calls.scope, ExecutionStrategy.sequential)
    opened = { scope, pull: yield* Scope.extend(Stream.toPull(stream), scope) }
    begun = true
    return opened.pull
  })

  const end = Effect.suspend(() => {
    const scope = opened?.scope
    opened = undefined
    over = true
    return scope === undefined ? Effect.void : Scope.close(scope, Exit.void)
  })

  const next: Effect.Effect<IteratorResult<A, undefined>, E> = Effect.suspend(() => {
    if (over) return Effect.succeed(DONE)
    if (taken < page.length) return Effect.sync(take)
    return Effect.zipRight(readPage, next)
  })

  /** Call only if the page has a value left. */
  const take = (): IteratorResult<A, undefined> => ({ done: false, value: page[taken++] as A })

  const readPage: Effect.Effect<void, E> = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const pull = opened?.pull ?? (yield* open)
      const exit = yield* Effect.exit(restore(Effect.raceFirst(pull, Deferred.await(stopped))))
      if (Exit.isSuccess(exit)) {
        page = Chunk.toReadonlyArray(exit.value)
        taken = 0
        return
      }
      yield* end
      const failure = Cause.failureOption(exit.cause)
      if (Option.isNone(failure)) return yield* Effect.failCause(exit.cause as Cause.Cause<never>)
      // A failure without an error is the end of the stream.
      if (Option.isSome(failure.value)) return yield* Effect.fail(failure.value.value)
    }),
  )

  /** Closing Hindcast has closed the stream's scope already. */
  const release = async () => {
    over = true
    if (!calls.isClosed()) await calls.run(oneAtATime(end))
  }

  return {
    next: async () => {
      if (over) return DONE
      // A value in the page needs no fiber, unless an earlier call still waits.
      if (taken < page.length && waiting === 0 && signal?.aborted !== true && !calls.isClosed()) return take()
      waiting++
      try {
        return await calls.run(oneAtATime(next), signal)
      } catch (error) {
        const isEnd = endsAtClose && error instanceof Closed && begun
        await release()
        if (isEnd) return DONE
        throw error
      } finally {
        waiting--
      }
    },
    return: async () => {
      Deferred.unsafeDone(stopped, Exit.fail(Option.none()))
      await release()
      return DONE
    },
  }
}

type Pull<A, E> = Effect.Effect<Chunk.Chunk<A>, Option.Option<E>>
