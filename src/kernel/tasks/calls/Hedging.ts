/**
 * Hedges a slow request to a language model: a second request leaves after a delay, the first whole answer wins, and the
 * other request is cancelled. Each request is an event, and so is its end. A replay has the answer from the log.
 */

import { Effect, Either, Fiber } from "effect"
import type { AppendError } from "../../../events/log/EventLog.ts"
import type { Event } from "../../../events/vocabulary/Event.ts"
import type * as Spending from "../../../projections/tree/Spending.ts"
import { defined } from "../../../values/defined.ts"
import type { CallEnd, PartialAnswer } from "./CallEnd.ts"
import { ModelCallFailed, type ModelCallRequest, type ModelCallResponse, type Spent } from "./ModelCall.ts"

/** A second request, and when it leaves. */
export interface Hedge<E> extends Pick<ModelCallRequest, "provider" | "model" | "request"> {
  /** Milliseconds without a whole answer after which it leaves. */
  readonly afterMs: number
  /** The most that it may use, as for the first request. */
  readonly reserves?: Effect.Effect<Spending.Reserved | undefined>
  /** Whether it may leave: a budget may be used up. */
  readonly mayAsk: Effect.Effect<boolean>
  readonly answering: (called: Event) => Effect.Effect<ModelCallResponse, E>
  readonly partial: Effect.Effect<PartialAnswer>
}

/** How a request ended that may have been hedged: by which of its calls, and how the other one ended. */
export interface Ended<E> {
  readonly result: Either.Either<ModelCallResponse, E | ModelCallFailed>
  readonly end: CallEnd
  readonly lost: ReadonlyArray<Spent>
}

export const OVERTAKEN = "the other request for this answer was faster"

/** A second call that was begun. */
export interface Second<E> {
  readonly end: CallEnd
  readonly answered: Effect.Effect<ModelCallResponse, E | ModelCallFailed>
}

/** A request without a hedge. */
export const alone = <E>(
  end: CallEnd,
  answered: Effect.Effect<ModelCallResponse, E | ModelCallFailed>,
): Effect.Effect<Ended<E>> => Effect.map(Effect.either(answered), (result) => ({ result, end, lost: [] }))

/**
 * Waits for the first whole answer. If one call fails while the other one works, its failure is recorded, and the other
 * one decides.
 *
 * @param begin records the second call; undefined if it may not leave now
 */
export const race = <E>(
  first: CallEnd,
  answered: Effect.Effect<ModelCallResponse, E | ModelCallFailed>,
  afterMs: number,
  begin: Effect.Effect<Second<E> | undefined, AppendError>,
): Effect.Effect<Ended<E>, AppendError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const one = yield* Effect.forkScoped(Effect.either(answered))
      const isDone = yield* Effect.raceFirst(Effect.as(Fiber.await(one), true), Effect.as(Effect.sleep(afterMs), false))
      const second = isDone ? undefined : yield* begin
      if (second === undefined) return { result: yield* Fiber.join(one), end: first, lost: [] }
      const two = yield* Effect.forkScoped(Effect.either(second.answered))
      const calls = [
        { end: first, fiber: one },
        { end: second.end, fiber: two },
      ] as const
      const isFirst = yield* Effect.raceFirst(Effect.as(Fiber.await(one), true), Effect.as(Fiber.await(two), false))
      const [ahead, behind] = isFirst ? calls : ([calls[1], calls[0]] as const)
      const result = yield* Fiber.join(ahead.fiber)
      if (Either.isRight(result)) {
        yield* Fiber.interrupt(behind.fiber)
        const known = yield* behind.end.partial
        yield* Effect.uninterruptible(behind.end.cancelled(OVERTAKEN))
        return { result, end: ahead.end, lost: [spentIn({ kind: "cancelled", ...known })] }
      }
      const failure = result.left
      if (!(failure instanceof ModelCallFailed)) {
        yield* Fiber.interrupt(behind.fiber)
        yield* Effect.uninterruptible(behind.end.cancelled(OVERTAKEN))
        return { result, end: ahead.end, lost: [] }
      }
      yield* Effect.uninterruptible(ahead.end.failed(failure))
      return { result: yield* Fiber.join(behind.fiber), end: behind.end, lost: [spentIn(failure)] }
    }),
  )

const spentIn = ({ kind, response, usage, cost }: Spent): Spent => ({ kind, ...defined({ response, usage, cost }) })
