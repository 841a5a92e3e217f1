import { Clock, Effect } from "effect"

/** Now, in milliseconds of a clock that never goes back and that nobody sets: for intervals and deadlines, not for dates. */
export const now: Effect.Effect<number> = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos) / 1e6)

/** Milliseconds since a moment of `performance.now`, to a thousandth. */
export const elapsedSince = (startedAt: number): number => Math.round((performance.now() - startedAt) * 1000) / 1000
