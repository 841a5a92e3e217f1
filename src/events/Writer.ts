import { Chunk, Deferred, Effect, Either, Exit, Queue, type Scope } from "effect"
import * as Admission from "./Admission.ts"
import {
  type AppendError,
  type Appended,
  type AppendRequest,
  type DiskFull,
  type IdReused,
  type LogError,
  LogUnavailable,
  type VersionConflict,
} from "./EventLog.ts"
import type { Vocabulary } from "./Vocabulary.ts"

/** Most appends that may wait for the writer; one more waits until there is room (back-pressure). */
const MAX_WAITING = 4096

/** Most appends committed together. */
const MAX_APPENDS_PER_COMMIT = 1024

/** Commits a batch in one transaction. Answers each request in the order given, or fails for all of them. */
export type Commit = (
  requests: ReadonlyArray<Admission.Admitted>,
) => Effect.Effect<ReadonlyArray<Either.Either<Appended, VersionConflict | IdReused>>, LogError | DiskFull>

interface Waiting {
  readonly request: Admission.Admitted
  readonly answer: Deferred.Deferred<Appended, AppendError>
}

/**
 * The single writer of a log: appends wait in a queue, and one fiber commits together whatever has gathered since the
 * last commit. Under no load that is one append; under load a commit grows with the queue (group commit).
 *
 * An append that is interrupted stops waiting; if it was queued, its events are still committed. When the scope closes,
 * what is queued is committed first, and later appends fail.
 */
export const make = (
  name: string,
  vocabulary: Vocabulary,
  commit: Commit,
): Effect.Effect<(request: AppendRequest) => Effect.Effect<Appended, AppendError>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const admit = Admission.make(vocabulary)
    const queue = yield* Queue.bounded<Waiting>(MAX_WAITING)
    let closed = false

    const commitBatch = (batch: ReadonlyArray<Waiting>) =>
      commit(batch.map((waiting) => waiting.request)).pipe(
        Effect.exit,
        Effect.flatMap((exit) =>
          Effect.forEach(
            batch,
            ({ answer }, index) => {
              if (Exit.isFailure(exit)) return Deferred.failCause(answer, exit.cause)
              const outcome = exit.value[index]
              return outcome === undefined
                ? Deferred.dieSync(answer, () => new Error("the commit left an append unanswered"))
                : Deferred.complete(answer, outcome)
            },
            { discard: true },
          ),
        ),
      )

    const drain: Effect.Effect<void> = Effect.flatMap(Queue.takeUpTo(queue, MAX_APPENDS_PER_COMMIT), (batch) =>
      Chunk.isEmpty(batch) ? Effect.void : Effect.zipRight(commitBatch([...batch]), drain),
    )
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        closed = true
        return drain
      }),
    )

    const turn = Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const first = yield* restore(Queue.take(queue))
        const others = yield* Queue.takeUpTo(queue, MAX_APPENDS_PER_COMMIT - 1)
        yield* commitBatch([first, ...others])
      }),
    )
    yield* Effect.forkScoped(Effect.forever(turn))

    return (request) =>
      Effect.suspend((): Effect.Effect<Appended, AppendError> => {
        if (closed) return Effect.fail(new LogUnavailable({ log: name, reason: "it was closed" }))
        const admitted = admit(request)
        if (Either.isLeft(admitted)) return Effect.fail(admitted.left)
        return Effect.flatMap(Deferred.make<Appended, AppendError>(), (answer) =>
          Effect.zipRight(Queue.offer(queue, { request: admitted.right, answer }), Deferred.await(answer)),
        )
      })
  })
