/**
 * Limits the share of time that schema validation takes of the host's thread, so that slow schemas delay nobody else.
 */
import { Effect } from "effect"
import * as RateLimit from "../../values/time/RateLimit.ts"

/** A rate with a burst. */
export interface SchemaTimeBudget {
  /** Long-run share of the thread's time, below 1. */
  readonly share: number
  /** Time that validation may take at once after a pause, in milliseconds. */
  readonly burstMs: number
}

/**
 * Runs functions synchronously and delays their results until the budget allows them. Uses Node's timers, not Effect's
 * clock, because it measures real time.
 */
export const schemaTimeBudget = ({ share, burstMs }: SchemaTimeBudget): (<A>(run: () => A) => Effect.Effect<A>) => {
  const rate = { perSecond: 1_000 * share, burst: burstMs }
  let used = RateLimit.unused
  return (run) =>
    Effect.suspend(() => {
      const startedAt = performance.now()
      const answer = run()
      const now = performance.now()
      const next = RateLimit.next(rate, used, now, now - startedAt)
      used = next.used
      if (next.waitMs === 0) return Effect.succeed(answer)
      return Effect.async((resume) => {
        const timer = setTimeout(() => resume(Effect.succeed(answer)), Math.ceil(next.waitMs))
        return Effect.sync(() => clearTimeout(timer))
      })
    })
}
