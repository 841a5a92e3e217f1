import { type Context, Deferred, Effect } from "effect"
import { type AppendError, type Appended, type AppendRequest, type EventLog, Exact, type LogError } from "./EventLog.ts"

/** What is to be appended to the stream that was decided about. */
export type DecidedAppend = Omit<AppendRequest, "stream" | "timeline" | "expected">

/** Makes decisions that rest on where a stream stands, one at a time for each stream and in the order in which they came. */
export interface Decider {
  /**
   * Decides, and appends what was decided if the stream still stands where it did; else decides again. Answers nothing where
   * nothing was decided. Within a program no decision is made twice and none overtakes another; where other processes append
   * to the stream as well, a decision may be made several times.
   *
   * @param decide is given the version of the stream's last event, 0 where it has none
   */
  readonly decide: <E, R>(
    stream: string,
    decide: (version: number) => Effect.Effect<DecidedAppend | undefined, E, R>,
  ) => Effect.Effect<Appended | undefined, E | AppendError, R>
}

/** One decider a log, for all who decide about its streams: two know nothing of each other. */
export const decider = (log: Context.Tag.Service<EventLog>): Decider => {
  /** The end of each stream's queue: done once everyone in it has had his turn. */
  const queues = new Map<string, Deferred.Deferred<void>>()

  const inTurn = <A, E, R>(stream: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const before = queues.get(stream)
        const done = yield* Deferred.make<void>()
        queues.set(stream, done)
        const leave = Effect.suspend(() => {
          if (queues.get(stream) === done) queues.delete(stream)
          return Deferred.succeed(done, undefined)
        })
        if (before !== undefined) {
          // Who is interrupted while it waits leaves its place to whoever comes after it, and no earlier.
          const waited = restore(Deferred.await(before))
          yield* Effect.onInterrupt(waited, () => Effect.forkDaemon(Effect.zipRight(Deferred.await(before), leave)))
        }
        return yield* Effect.ensuring(restore(effect), leave)
      }),
    )

  const decideAt = <E, R>(
    stream: string,
    decide: (version: number) => Effect.Effect<DecidedAppend | undefined, E, R>,
    standing: Effect.Effect<number, LogError>,
  ): Effect.Effect<Appended | undefined, E | AppendError, R> =>
    Effect.gen(function* () {
      const version = yield* standing
      const decided = yield* decide(version)
      if (decided === undefined) return undefined
      return yield* log
        .append({ ...decided, stream, expected: Exact(version) })
        .pipe(
          Effect.catchTag("VersionConflict", (conflict) =>
            conflict.stream === stream
              ? decideAt(stream, decide, Effect.succeed(conflict.actual))
              : Effect.fail(conflict),
          ),
        )
    })

  return { decide: (stream, decide) => inTurn(stream, decideAt(stream, decide, log.versionOf(stream))) }
}
