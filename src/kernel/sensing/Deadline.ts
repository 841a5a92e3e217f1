/** Deadlines of perceiving, on the monotonic clock. */

import { Data, Duration, Effect } from "effect"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import { LONGEST_MS } from "../../values/Options.ts"

/** A time by which an effect must have ended. */
export interface Deadline {
  /** In milliseconds of `MonotonicClock.now`. */
  readonly at: number
  /** The time budget that the deadline was made from, in milliseconds. */
  readonly ms: number
}

/** The deadline has passed: the effect was interrupted, or not started. */
export class DeadlinePassed extends Data.TaggedError("DeadlinePassed")<{ readonly ms: number }> {}

/** Fix the call: the number of milliseconds is not valid. */
export class InvalidDeadline extends Data.TaggedError("InvalidDeadline")<{ readonly found: number }> {
  override get message() {
    return `deadlineMs: expected milliseconds, 0 or more and at most ${LONGEST_MS}, found ${this.found}. Nothing was asked or recorded; leave it out to wait for every sensor.`
  }
}

/** The deadline in a number of milliseconds from now. */
export const after = (ms: number): Effect.Effect<Deadline, InvalidDeadline> =>
  ms >= 0 && ms <= LONGEST_MS
    ? Effect.map(MonotonicClock.now, (now) => ({ at: now + ms, ms }))
    : new InvalidDeadline({ found: ms })

export const hasPassed = ({ at }: Deadline): Effect.Effect<boolean> =>
  Effect.map(MonotonicClock.now, (now) => now >= at)

/** Interrupts an effect that has not ended by the deadline, if there is one. */
export const within = <A, E>(
  deadline: Deadline | undefined,
  effect: Effect.Effect<A, E>,
): Effect.Effect<A, E | DeadlinePassed> => {
  if (deadline === undefined) return effect
  const { at, ms } = deadline
  return Effect.flatMap(MonotonicClock.now, (now) =>
    Effect.timeoutFail(effect, {
      duration: Duration.millis(Math.max(0, at - now)),
      onTimeout: () => new DeadlinePassed({ ms }),
    }),
  )
}
