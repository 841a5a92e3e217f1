/**
 * Serialises decisions about a stream: each sees the stream's version, and runs again if another writer appended first.
 */

import { Deferred, Effect } from "effect"
import { type AppendError, type Appended, type AppendRequest, type EventLog, Exact, type LogError } from "./EventLog.ts"

/** The append that a decision returns, without stream and expected version. */
export type DecidedAppend = Omit<AppendRequest, "stream" | "timeline" | "expected">

/** Runs decisions about a stream one at a time, in the order of the calls. */
export interface Decider {
  /**
   * Calls `decide` and appends its result if the stream's version is unchanged; otherwise calls it again with the new
   * version. Returns undefined if `decide` did. Within a program, decisions about a stream run one by one, in order. If
   * other processes append to the stream, `decide` may run several times.
   *
   * @param decide receives the version of the stream's last event, 0 if it has none
   */
  readonly decide: <E, R>(
    stream: string,
    decide: (version: number) => Effect.Effect<DecidedAppend | undefined, E, R>,
  ) => Effect.Effect<Appended | undefined, E | AppendError, R>
}

/** Creates a decider. Use one per log: deciders do not see each other's queues. */
export const decider = (log: EventLog.Service): Decider => {
  /** The end of each stream's queue, done once all decisions in it have finished. */
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
          // A caller interrupted in the queue must not release its successor before its predecessor is done.
          const waited = restore(Deferred.await(before))
          yield* Effect.onInterrupt(waited, () => Effect.forkDaemon(Effect.zipRight(Deferred.await(before), leave)))
        }
        return yield* Effect.ensuring(restore(effect), leave)
      }),
    )

  const decideAt = <E, R>(
    stream: string,
    decide: (version: number) => Effect.Effect<DecidedAppend | undefined, E, R>,
    currentVersion: Effect.Effect<number, LogError>,
  ): Effect.Effect<Appended | undefined, E | AppendError, R> =>
    Effect.gen(function* () {
      const version = yield* currentVersion
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
