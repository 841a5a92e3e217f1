import { Data, Duration, Effect } from "effect"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import { LONGEST_MS } from "../../values/Options.ts"

/** The moment at which something has to have ended. */
export interface Deadline {
  /** In milliseconds, by `Monotonic.now`. */
  readonly at: number
  /** How long there was from the beginning, in milliseconds. */
  readonly ms: number
}

/** The deadline has passed: what was going on was interrupted, or was not begun. */
export class DeadlinePassed extends Data.TaggedError("DeadlinePassed")<{ readonly ms: number }> {}

/** Fix the call: that is no time to give. */
export class InvalidDeadline extends Data.TaggedError("InvalidDeadline")<{ readonly found: number }> {
  override get message() {
    return `deadlineMs: expected milliseconds, 0 or more and at most ${LONGEST_MS}, found ${this.found}. Nothing was asked or recorded; leave it out to wait for every sensor.`
  }
}

/** The deadline that is so many milliseconds from now. */
export const after = (ms: number): Effect.Effect<Deadline, InvalidDeadline> =>
  ms >= 0 && ms <= LONGEST_MS
    ? Effect.map(MonotonicClock.now, (now) => ({ at: now + ms, ms }))
    : new InvalidDeadline({ found: ms })

/** Whether the deadline has passed. */
export const hasPassed = ({ at }: Deadline): Effect.Effect<boolean> =>
  Effect.map(MonotonicClock.now, (now) => now >= at)

/** Interrupts what has not ended at the deadline, where there is one. */
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
