/** Deadlines of perceptions, on the monotonic clock. */

import { Data, Duration, Effect } from "effect"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import { LONGEST_MS } from "../../values/Options.ts"

/** The time by which an effect must end. */
export interface Deadline {
  /** In milliseconds of `MonotonicClock.now`. */
  readonly at: number
  /** The time budget in milliseconds. */
  readonly ms: number
}

/** The deadline passed: the effect was interrupted or never started. */
export class DeadlinePassed extends Data.TaggedError("DeadlinePassed")<{ readonly ms: number }> {}

/** The number of milliseconds is not valid. */
export class InvalidDeadline extends Data.TaggedError("InvalidDeadline")<{ readonly found: number }> {
  override get message() {
    return `deadlineMs: expected milliseconds, 0 or more and at most ${LONGEST_MS}, found ${this.found}. No sensor was read. Omit it to wait for every sensor.`
  }
}

export const after = (ms: number): Effect.Effect<Deadline, InvalidDeadline> =>
  ms >= 0 && ms <= LONGEST_MS
    ? Effect.map(MonotonicClock.now, (now) => ({ at: now + ms, ms }))
    : new InvalidDeadline({ found: ms })

export const hasPassed = ({ at }: Deadline): Effect.Effect<boolean> =>
  Effect.map(MonotonicClock.now, (now) => now >= at)

/** Interrupts an effect at the deadline, if there is one. */
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
