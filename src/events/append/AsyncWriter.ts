/** The single writer of a log whose commits take a round trip: like `Writer`, with one commit in flight. */

import { Effect, Either, type Scope } from "effect"
import * as CallingFiber from "../../platform/fibers/CallingFiber.ts"
import { type AppendError, type Appended, type AppendRequest, LogUnavailable } from "../log/EventLog.ts"
import type { CheckedAppend } from "./AppendChecks.ts"
import type { CommitResult } from "./Writer.ts"

/** Maximum number of queued appends. Later ones wait for room (back-pressure). */
const MAX_PENDING = 4096

const MAX_APPENDS_PER_COMMIT = 1024

/**
 * Commits a batch. Returns each request's result in the given order; never rejects for anything but a defect. A failed
 * request wrote nothing.
 */
export type AsyncCommit = (requests: ReadonlyArray<CheckedAppend>) => Promise<ReadonlyArray<CommitResult>>

interface PendingAppend {
  readonly request: CheckedAppend
  readonly resume: (result: Effect.Effect<Appended, AppendError>) => void
  readonly caller: CallingFiber.Caller
}

/**
 * Creates the writer. Appends gather while a commit is in flight and until the program yields to the event loop, then
 * commit together (group commit).
 *
 * Commits keep the order of arrival. After a commit, callers of failed appends resume first, so each contender succeeds
 * once before any succeeds twice.
 *
 * Drops an interrupted append that still waits. Closing the scope commits waiting appends; later ones fail.
 */
export const make = (
  name: string,
  check: (request: AppendRequest) => Either.Either<CheckedAppend, AppendError>,
  commit: AsyncCommit,
): Effect.Effect<(request: AppendRequest) => Effect.Effect<Appended, AppendError>, never, Scope.Scope> => {
  let pending: Array<PendingAppend> = []
  /** Callers that found the queue full, in order. */
  let overflow: Array<PendingAppend> = []
  let isScheduled = false
  let isCommitting = false
  let isClosed = false
  /** Set at closing; called once nothing waits. */
  let drained: (() => void) | undefined

  const schedule = () => {
    if (isScheduled || isCommitting) return
    isScheduled = true
    setImmediate(commitNext)
  }

  const commitNext = () => {
    isScheduled = false
    const batch = pending.slice(0, MAX_APPENDS_PER_COMMIT)
    pending = [...pending.slice(batch.length), ...overflow.slice(0, batch.length)]
    overflow = overflow.slice(batch.length)
    const waiting = batch.filter(({ caller }) => CallingFiber.isWaiting(caller))
    if (waiting.length === 0) return next()
    isCommitting = true
    commit(waiting.map(({ request }) => request))
      .then((answers) => answers.map(outcomeOf))
      // A defect becomes the result of every append, so that no caller waits forever.
      .catch((defect: unknown) => waiting.map((): Outcome => ({ failed: true, answer: Effect.die(defect) })))
      .then((outcomes) => {
        isCommitting = false
        const answered = waiting.map(({ resume }, index) => ({ resume, ...(outcomes[index] ?? UNANSWERED) }))
        for (const { resume, answer, failed } of answered) if (failed) resume(answer)
        for (const { resume, answer, failed } of answered) if (!failed) resume(answer)
        next()
      })
  }

  const next = () => {
    if (pending.length > 0) schedule()
    else drained?.()
  }

  const append = (request: AppendRequest): Effect.Effect<Appended, AppendError> =>
    CallingFiber.withCaller((caller) => {
      if (isClosed) return Effect.fail(new LogUnavailable({ log: name, reason: "it was closed" }))
      const checked = check(request)
      if (Either.isLeft(checked)) return Effect.fail(checked.left)
      return Effect.async((resume) => {
        const waiting = { request: checked.right, resume, caller }
        if (pending.length >= MAX_PENDING || overflow.length > 0) overflow.push(waiting)
        else pending.push(waiting)
        schedule()
      })
    })

  const close = Effect.async<void>((resume) => {
    isClosed = true
    drained = () => resume(Effect.void)
    if (pending.length === 0 && !isCommitting) drained()
  })

  return Effect.as(
    Effect.addFinalizer(() => close),
    append,
  )
}

interface Outcome {
  readonly failed: boolean
  readonly answer: Effect.Effect<Appended, AppendError>
}

const outcomeOf = (result: CommitResult): Outcome => ({ failed: Either.isLeft(result), answer: result })

const UNANSWERED: Outcome = { failed: true, answer: Effect.dieMessage("the commit left an append unanswered") }
