/** Waits until a request to a model may leave by the pace of its kernel, and tells the pace what the answer says. */

import { Effect } from "effect"
import type { AppendError } from "../../events/log/EventLog.ts"
import type { Recorder } from "../../events/log/Recorder.ts"
import { defined } from "../../values/defined.ts"
import { inWords } from "../../values/time/Wait.ts"
import type { Reservation } from "./ModelPace.ts"
import type { ModelPaces, Said } from "./ModelPaces.ts"

/** A request's turn. */
export interface Permit {
  /** Why the request must not be sent, and after which wait it may; undefined if it may leave. */
  readonly refused: { readonly reason: string; readonly retryAfterMs: number } | undefined
  /** Notes what the answer says. */
  readonly learn: (said: Said) => Effect.Effect<void>
  /** Gives the place back: the request does not leave. */
  readonly giveBack: Effect.Effect<void>
}

/** The request leaves without a pace. */
export const FREE: Permit = { refused: undefined, learn: () => Effect.void, giveBack: Effect.void }

/**
 * Waits for the turn of a request. Each wait is recorded before it begins; an input that arrives ends it. If the provider
 * meanwhile refuses other requests, another wait follows. A request that would wait for longer than `longestMs` in all
 * is refused.
 *
 * @param wait makes a wait as interruptible as the caller
 */
export const awaitTurn = <E>(
  task: {
    readonly record: Recorder["record"]
    readonly openedBy: string
    readonly kernel: { readonly paces: ModelPaces }
  },
  {
    tokens,
    longestMs,
    agentId,
    ...of
  }: {
    readonly provider: string
    readonly model: string
    readonly agentId?: string | undefined
    readonly tokens: () => number
    readonly longestMs: Effect.Effect<number>
  },
  wait: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>,
  arrives: Effect.Effect<void, E>,
): Effect.Effect<Permit, E | AppendError> =>
  Effect.gen(function* () {
    const { giveBack, learn, again, ...place } = yield* task.kernel.paces.reserve({ ...of, tokens })
    const permit: Permit = { refused: undefined, learn, giveBack }
    let next: Reservation = place
    if (next.waitMs === 0) return permit
    const longest = yield* longestMs
    let waited = 0
    for (; next.waitMs > 0 && next.because !== undefined; next = yield* again) {
      const { waitMs, because } = next
      if (waited + waitMs > longest) {
        yield* giveBack
        const reason = `nothing was asked: the limit of ${because} allows the next request in ${inWords(waitMs)}`
        return { ...FREE, refused: { reason, retryAfterMs: waitMs } }
      }
      yield* task
        .record({
          type: "ModelCallDelayed",
          causationId: task.openedBy,
          payload: { ...of, waitMs, because, ...defined({ agentId }) },
        })
        .pipe(Effect.tapErrorCause(() => giveBack))
      const hasArrived = yield* wait(
        Effect.raceFirst(Effect.as(Effect.sleep(waitMs), false), Effect.as(arrives, true)),
      ).pipe(Effect.onInterrupt(() => giveBack))
      if (hasArrived) {
        yield* giveBack
        return permit
      }
      waited += waitMs
    }
    return permit
  })
