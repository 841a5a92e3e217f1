/** The single writer of a log: queues appends of all fibers and commits them in groups. */

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

/** Most appends in the queue. Later ones wait until there is room (back-pressure). */
const MAX_PENDING = 4096

/** Most appends committed together. */
const MAX_APPENDS_PER_COMMIT = 1024

/** The result of one request of a batch. */
export type CommitResult = Either.Either<Appended, AppendError>

/**
 * Commits a batch in one synchronous transaction. Returns the result of each request, in the order given. If it fails,
 * none was written.
 */
export type Commit = (
  requests: ReadonlyArray<AppendValidation.ValidatedAppend>,
) => Either.Either<ReadonlyArray<CommitResult>, LogError | DiskFull>

/**
 * Waits until everything that was committed is on the disk, and then calls `done`: with an error if it may not be. It never calls it before
 * it returns.
 */
export type Flush = (done: (failure: LogError | undefined) => void) => void

/** An append whose caller waits. */
interface PendingAppend<Request = unknown> {
  readonly request: Request
  readonly resume: (result: Effect.Effect<Appended, AppendError>) => void
  readonly caller: CallingFiber.Caller
}

/**
 * Makes the writer. Appends gather until the program next yields to the event loop, then are committed together (group
 * commit): one alone under low load, hundreds under high load. Callers are resumed after the commit.
 *
 * Appends are committed in the order in which they came. After a commit, callers whose append failed (such as by a
 * conflict) are resumed before the others: of fibers that contend for a stream, one that retries is ahead of one that
 * has just succeeded, so that each succeeds once before any succeeds twice.
 *
 * Callers whose append must reach the disk (`synced`) are resumed after the next flush; if it fails, so does their
 * append, although its events are in the log. Without `flush`, `commit` flushes by itself.
 *
 * An append that is interrupted while it waits is not written. When the scope closes, waiting appends are committed
 * first, and later appends fail.
 */
export const make = (
  name: string,
  validate: (request: AppendRequest) => Either.Either<AppendValidation.ValidatedAppend, AppendError>,
  commit: Commit,
  flush?: Flush,
): Effect.Effect<(request: AppendRequest) => Effect.Effect<Appended, AppendError>, never, Scope.Scope> => {
  let pending: Array<PendingAppend<AppendValidation.ValidatedAppend>> = []
  /** Appends that came while the queue was full. They keep their order, and are validated when there is room. */
  let overflow: Array<PendingAppend<AppendRequest>> = []
  let scheduled = false
  let closed = false
  /** Callers that wait for a flush. */
  let flushing = 0
  /** Set when the writer is closed: called after the last of them was resumed. */
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
    // The queue may be empty and the overflow not: those moved to the queue may have been interrupted, or invalid.
    if (pending.length > 0 || overflow.length > 0) schedule()
  }

  const commitAndResume = (batch: ReadonlyArray<PendingAppend<AppendValidation.ValidatedAppend>>) => {
    const answers = commitAll(batch)
    const answered = batch.map(({ resume, request }, index) => {
      const answer = answers[index] ?? UNANSWERED
      return { resume, answer, failed: hasFailed(answer), synced: flush !== undefined && request.synced }
    })
    // The disk is asked before anybody runs who may use the processor first.
    for (const { resume, answer, failed, synced } of answered)
      if (flush !== undefined && synced && !failed) afterFlush(flush, resume, answer)
    for (const { resume, answer, failed } of answered) if (failed) resume(answer)
    for (const { resume, answer, failed, synced } of answered) if (!failed && !synced) resume(answer)
  }

  /** Resumes a caller when its append is on the disk. */
  const afterFlush = (flush: Flush, resume: PendingAppend["resume"], answer: Effect.Effect<Appended, AppendError>) => {
    flushing += 1
    flush((failure) => {
      flushing -= 1
      resume(failure === undefined ? answer : Effect.fail(failure))
      if (flushing === 0) flushed?.()
    })
  }

  /** The result of each append of a batch. A defect becomes the result of all, so that no caller waits for ever. */
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

  const append = (request: AppendRequest): Effect.Effect<Appended, AppendError> =>
    CallingFiber.withCaller((caller) => {
      if (closed) return Effect.fail(new LogUnavailable({ log: name, reason: "it was closed" }))
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
    append,
  )
}

/** Whether an append failed, so that its caller may retry. */
const hasFailed = (result: Effect.Effect<Appended, AppendError> | undefined): boolean =>
  result !== undefined && Either.isEither(result) && Either.isLeft(result)

/** Whether the caller still waits. Tested when the append is due. */
const isWaiting = ({ caller }: Pick<PendingAppend<unknown>, "caller">): boolean => CallingFiber.isWaiting(caller)

const UNANSWERED = Effect.dieMessage("the commit left an append unanswered")
