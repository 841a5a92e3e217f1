/**
 * Limits the share of the host's time that schema validation takes. Validation runs on the host's thread, so a plugin
 * with slow schemas would otherwise delay everything else.
 */
import { Effect } from "effect"
import * as RateLimit from "../../values/time/RateLimit.ts"

/** The time budget. */
export interface SchemaTimeBudget {
  /** The long-run share of the host's time, below 1. */
  readonly share: number
  /** Validation time that is not delayed after a pause, in milliseconds. */
  readonly burstMs: number
}

/**
 * Runs functions synchronously and delays their results, so that in the long run they take no more than `share` of the
 * time, with a burst of `burstMs`. It uses Node's timers, not Effect's clock, because it measures real time.
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
