/**
 * Appends without a fiber, for callers that append for each request of a program. A backend registers them with the
 * `append` of its log, so that a view or a fence, which has an `append` of its own, does not have them by accident.
 */

import { Cause, Effect, Either, Exit } from "effect"
import type { AppendError, Appended, AppendRequest, EventLog } from "../log/EventLog.ts"

type Append = EventLog.Service["append"]

/**
 * Appends like `append` of the log, in the same commits and order. Calls one of the functions once: `reject` with an
 * `AppendError` or a defect. It may call `reject` synchronously.
 */
export type DirectAppend = (
  request: AppendRequest,
  resolve: (appended: Appended) => void,
  reject: (cause: unknown) => void,
) => void

const direct = new WeakMap<Append, DirectAppend>()

export const register = <Own extends Append>(append: Own, without: DirectAppend): Own => {
  direct.set(append, without)
  return append
}

/**
 * A function that appends to a log: directly if its backend can, otherwise by the caller's `run`. It rejects with an
 * `AppendError` or a defect.
 */
export const appending = (
  { append }: Pick<EventLog.Service, "append">,
  run: <A>(effect: Effect.Effect<A, AppendError>) => Promise<A>,
): ((request: AppendRequest) => Promise<Appended>) => {
  const known = direct.get(append)
  return known === undefined
    ? (request) => run(append(request))
    : (request) => new Promise((resolve, reject) => known(request, resolve, reject))
}

/** Passes the result of an append on: an `Either`, as commits return it, or the failure of another effect. */
export const settle = (
  result: Effect.Effect<Appended, AppendError>,
  resolve: (appended: Appended) => void,
  reject: (cause: unknown) => void,
): void => {
  if (isCommitResult(result)) {
    if (Either.isRight(result)) resolve(result.right)
    else reject(result.left)
    return
  }
  const exit = Effect.runSyncExit(result)
  if (Exit.isSuccess(exit)) resolve(exit.value)
  else reject(Cause.squash(exit.cause))
}

const isCommitResult = (result: Effect.Effect<Appended, AppendError>): result is Either.Either<Appended, AppendError> =>
  Either.isEither(result)
