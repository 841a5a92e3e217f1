/** The monotonic clock, for intervals and deadlines: unlike wall-clock time, it never goes back and cannot be set. */

import { Clock, Effect } from "effect"

/** The clock's time in milliseconds, for differences only: it is not a date. */
export const now: Effect.Effect<number> = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos) / 1e6)

/** Milliseconds since `startedAt` (a value of `performance.now`), rounded to a thousandth. */
export const elapsedSince = (startedAt: number): number => Math.round((performance.now() - startedAt) * 1000) / 1000

/** When a time of the wall clock was, by this process's monotonic clock; now, where the wall clock was set back since. */
export const momentOf = (at: number): number => performance.now() - Math.max(0, Date.now() - at)
