import { Effect } from "effect"
import * as LeakyBucket from "../../platform/LeakyBucket.ts"

/** How much of the host's time may be taken. */
export interface SchemaTimeBudget {
  /** The part of it in the long run, below 1. */
  readonly share: number
  readonly atOnceMs: number
}

/**
 * Runs functions that may take long and hold up whatever else is done here: whoever has them run waits for the answer as long
 * as it takes until all of them together took no more than their share. By Node's own timers: this is no test's time.
 */
export const schemaTimeBudget = ({ share, atOnceMs }: SchemaTimeBudget): (<A>(run: () => A) => Effect.Effect<A>) => {
  const take = LeakyBucket.make(1_000 * share, atOnceMs)
  return (run) =>
    Effect.suspend(() => {
      const startedAt = performance.now()
      const answer = run()
      const ms = take(performance.now() - startedAt)
      if (ms === 0) return Effect.succeed(answer)
      return Effect.async((resume) => {
        const timer = setTimeout(() => resume(Effect.succeed(answer)), ms)
        return Effect.sync(() => clearTimeout(timer))
      })
    })
}
