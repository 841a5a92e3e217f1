/** The monotonic clock, for intervals and deadlines. Nobody can set it, and it never goes back. */

import { Clock, Effect } from "effect"

/** Milliseconds, for differences only: not a date. */
export const now: Effect.Effect<number> = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos) / 1e6)

/** Milliseconds since `startedAt` (a value of `performance.now`), rounded to a thousandth. */
export const elapsedSince = (startedAt: number): number => Math.round((performance.now() - startedAt) * 1000) / 1000

/** Converts a wall-clock time to this process's monotonic clock; now, if the wall clock was set back since. */
export const momentOf = (at: number): number => performance.now() - Math.max(0, Date.now() - at)
