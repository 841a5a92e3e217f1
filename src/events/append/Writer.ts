/** The single writer of a log in this process: queues appends of all fibers and commits them in groups. */

import { Effect, Either, type Scope } from "effect"
import * as CallingFiber from "../../platform/fibers/CallingFiber.ts"
import {
  type AppendError,
  type Appended,
  type AppendRequest,
  type DiskFull,
  type LogError,
  LogUnavailable,
} from "../log/EventLog.ts"
import type * as AppendValidation from "./AppendValidation.ts"
import * as DirectAppend from "./DirectAppend.ts"

/** Maximum number of queued appends. Later ones wait for room (back-pressure). */
const MAX_PENDING = 4096

const MAX_APPENDS_PER_COMMIT = 1024

export type CommitResult = Either.Either<Appended, AppendError>

/**
 * Commits a batch in one synchronous transaction. Returns each request's result in the given order. A failure means
 * that nothing was written.
 */
export type Commit = (
  requests: ReadonlyArray<AppendValidation.ValidatedAppend>,
) => Either.Either<ReadonlyArray<CommitResult>, LogError | DiskFull>

/**
 * Calls `done` once every commit so far is on the disk, or with an error if it may not be. Never calls it
 * synchronously.
 */
export type Flush = (done: (failure: LogError | undefined) => void) => void

interface PendingAppend<Request = unknown> {
  readonly request: Request
  readonly resume: (result: Effect.Effect<Appended, AppendError>) => void
  readonly caller: CallingFiber.Caller
}

/**
 * Creates the writer. Appends gather until the program yields to the event loop, then commit together (group commit):
 * one alone under low load, hundreds under high load.
 *
 * Commits keep the order of arrival. After a commit, callers of failed appends resume first, so each contender succeeds
 * once before any succeeds twice.
 *
 * A `synced` append resumes its caller after the next flush. If the flush fails, the append fails, although its events
 * are in the log. Without `flush`, `commit` flushes by itself.
 *
 * Drops an interrupted append that still waits. Closing the scope commits waiting appends; later ones fail.
 *
 * The same appends without a fiber are registered with {@link DirectAppend}.
 */
export const make = (
  name: string,
  validate: (request: AppendRequest) => Either.Either<AppendValidation.ValidatedAppend, AppendError>,
  commit: Commit,
  flush?: Flush,
): Effect.Effect<(request: AppendRequest) => Effect.Effect<Appended, AppendError>, never, Scope.Scope> => {
  let pending: Array<PendingAppend<AppendValidation.ValidatedAppend>> = []
  /** Appends that found the queue full, in order. Validated once there is room. */
  let overflow: Array<PendingAppend<AppendRequest>> = []
  let scheduled = false
  let closed = false
  let flushing = 0
  /** Set at closing; called once all waiting callers have resumed. */
  let flushed: (() => void) | undefined

  const schedule = () => {
    if (scheduled) return
    scheduled = true
    setImmediate(commitNext)
  }

  const commitNext = () => {
    scheduled = false
    const batch = pending.slice(0, MAX_APPENDS_PER_COMMIT)
    pending = pending.slice(batch.length)
    const stillWaiting = batch.filter(isWaiting)
    if (stillWaiting.length > 0) commitAndResume(stillWaiting)
    if (overflow.length > 0) admitOverflow()
    // The queue may be empty although appends overflowed: those moved into it may be interrupted or invalid.
    if (pending.length > 0 || overflow.length > 0) schedule()
  }

  const commitAndResume = (batch: ReadonlyArray<PendingAppend<AppendValidation.ValidatedAppend>>) => {
    const answers = commitAll(batch)
    const answered = batch.map(({ resume, request }, index) => {
      const answer = answers[index] ?? UNANSWERED
      return { resume, answer, failed: hasFailed(answer), synced: flush !== undefined && request.synced }
    })
    // Start the disk before resuming callers that may occupy the processor.
    for (const { resume, answer, failed, synced } of answered)
      if (flush !== undefined && synced && !failed) afterFlush(flush, resume, answer)
    for (const { resume, answer, failed } of answered) if (failed) resume(answer)
    for (const { resume, answer, failed, synced } of answered) if (!failed && !synced) resume(answer)
  }

  const afterFlush = (flush: Flush, resume: PendingAppend["resume"], answer: Effect.Effect<Appended, AppendError>) => {
    flushing += 1
    flush((failure) => {
      flushing -= 1
      resume(failure === undefined ? answer : Effect.fail(failure))
      if (flushing === 0) flushed?.()
    })
  }

  /** A defect becomes the result of every append, so that no caller waits forever. */
  const commitAll = (
    batch: ReadonlyArray<PendingAppend<AppendValidation.ValidatedAppend>>,
  ): ReadonlyArray<Effect.Effect<Appended, AppendError>> => {
    try {
      const committed = commit(batch.map(({ request }) => request))
      return Either.isLeft(committed) ? batch.map(() => Either.left(committed.left)) : committed.right
    } catch (defect) {
      return batch.map(() => Effect.die(defect))
    }
  }

  const admitOverflow = () => {
    const admitted = overflow.slice(0, MAX_PENDING - pending.length)
    overflow = overflow.slice(admitted.length)
    for (const { request, ...waiting } of admitted.filter(isWaiting)) enqueue(request, waiting)
  }

  const enqueue = (request: AppendRequest, waiting: Omit<PendingAppend<AppendRequest>, "request">) => {
    try {
      const admitted = validate(request)
      if (Either.isLeft(admitted)) waiting.resume(Effect.fail(admitted.left))
      else pending.push({ ...waiting, request: admitted.right })
    } catch (defect) {
      waiting.resume(Effect.die(defect))
    }
  }

  const close = () => {
    closed = true
    while (pending.length > 0 || overflow.length > 0) commitNext()
  }

  const allFlushed = Effect.async<void>((resume) => {
    flushed = () => resume(Effect.void)
    if (flushing === 0) flushed()
  })

  const closedError = () => new LogUnavailable({ log: name, reason: "it was closed" })

  const direct: DirectAppend.DirectAppend = (request, resolve, reject) => {
    if (closed) return reject(closedError())
    const waiting = {
      caller: undefined,
      resume: (result: Effect.Effect<Appended, AppendError>) => DirectAppend.settle(result, resolve, reject),
    }
    if (pending.length >= MAX_PENDING || overflow.length > 0) overflow.push({ ...waiting, request })
    else {
      enqueue(request, waiting)
      schedule()
    }
  }

  const append = (request: AppendRequest): Effect.Effect<Appended, AppendError> =>
    CallingFiber.withCaller((caller) => {
      if (closed) return Effect.fail(closedError())
      if (pending.length >= MAX_PENDING || overflow.length > 0) {
        return Effect.async((resume) => {
          overflow.push({ request, resume, caller })
        })
      }
      const admitted = validate(request)
      if (Either.isLeft(admitted)) return Effect.fail(admitted.left)
      return Effect.async((resume) => {
        pending.push({ request: admitted.right, resume, caller })
        schedule()
      })
    })

  return Effect.as(
    Effect.addFinalizer(() => Effect.zipRight(Effect.sync(close), allFlushed)),
    DirectAppend.register(append, direct),
  )
}

/** A failed append's caller may retry. */
const hasFailed = (result: Effect.Effect<Appended, AppendError> | undefined): boolean =>
  result !== undefined && Either.isEither(result) && Either.isLeft(result)

/** False if the caller was interrupted meanwhile. */
const isWaiting = ({ caller }: Pick<PendingAppend<unknown>, "caller">): boolean => CallingFiber.isWaiting(caller)

const UNANSWERED = Effect.dieMessage("the commit left an append unanswered")
