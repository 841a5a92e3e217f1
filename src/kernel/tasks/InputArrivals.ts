/** Tells tasks that wait that something was said to them: one follower of the log serves all tasks of a kernel. */

import { type Context, Deferred, Effect, Fiber, FiberId, type Scope, Stream } from "effect"
import { CaughtUp, type EventLog, type LogError } from "../../events/log/EventLog.ts"

/** The arrivals of inputs in a log, whichever process and timeline they come from. */
export interface InputArrivals {
  /**
   * Begins to watch a stream, until the scope closes. The effect that it answers with waits for the next input in that
   * stream; one that arrived between two waits ends the second one at once.
   */
  readonly watch: (stream: string) => Effect.Effect<Effect.Effect<void, LogError>, LogError, Scope.Scope>
}

/** Something that waits for inputs in a stream. */
interface Watcher {
  readonly stream: string
  arrived: Deferred.Deferred<void, LogError>
}

/** The arrivals in a log. The log is followed while somebody waits, in the scope of the kernel. */
export const make = (log: Context.Tag.Service<EventLog>, scope: Scope.Scope): InputArrivals => {
  const watchers = new Set<Watcher>()
  const oneAtATime = Effect.unsafeMakeSemaphore(1).withPermits(1)
  let follower: Fiber.RuntimeFiber<void, LogError> | undefined

  const tell = (isFor: (watcher: Watcher) => boolean, end: (watcher: Watcher) => Effect.Effect<unknown>) =>
    Effect.forEach([...watchers].filter(isFor), end, { discard: true })

  const follow = (after: number) =>
    log.follow({ types: ["InputReceived"], after }).pipe(
      Stream.runForEach((item) =>
        item instanceof CaughtUp
          ? Effect.void
          : tell(
              ({ stream }) => stream === item.stream,
              ({ arrived }) => Deferred.succeed(arrived, undefined),
            ),
      ),
      Effect.tapErrorCause((cause) => {
        follower = undefined
        return tell(
          () => true,
          ({ arrived }) => Deferred.failCause(arrived, cause),
        )
      }),
    )

  const begin = (watcher: Watcher) =>
    oneAtATime(
      Effect.gen(function* () {
        if (follower === undefined) {
          const { position } = yield* log.head
          follower = yield* Effect.forkIn(Effect.interruptible(follow(position)), scope)
        }
        watchers.add(watcher)
      }),
    )

  const end = (watcher: Watcher) =>
    oneAtATime(
      Effect.suspend(() => {
        watchers.delete(watcher)
        if (watchers.size > 0 || follower === undefined) return Effect.void
        const last = follower
        follower = undefined
        return Fiber.interrupt(last)
      }),
    )

  const next = (watcher: Watcher) =>
    Effect.zipRight(
      Effect.suspend(() => Deferred.await(watcher.arrived)),
      Effect.sync(() => {
        watcher.arrived = Deferred.unsafeMake(FiberId.none)
      }),
    )

  return {
    watch: (stream) =>
      Effect.acquireRelease(
        Effect.gen(function* () {
          const watcher: Watcher = { stream, arrived: Deferred.unsafeMake(FiberId.none) }
          yield* begin(watcher)
          return watcher
        }),
        end,
      ).pipe(Effect.map(next)),
  }
}
