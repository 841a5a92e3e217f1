/** Limits the rate of readings that no agent asked for. */

import { Duration, Effect } from "effect"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import * as RateLimit from "../../values/time/RateLimit.ts"
import { MIN_INTERVAL_MS } from "./IntervalGrid.ts"

/** The long-run rate of one sensor at the minimum interval. */
const LIMIT: RateLimit.Rate = { perSecond: 1000 / MIN_INTERVAL_MS, burst: 100 }

/** Waits until the plugin may record another reading. */
export type PushRateLimiter = (plugin: string) => Effect.Effect<void>

/** One rate limit per plugin, for one task or the kernel. */
export const make = (): PushRateLimiter => {
  const used = new Map<string, RateLimit.Used>()
  return (plugin) =>
    Effect.flatMap(MonotonicClock.now, (now) => {
      const next = RateLimit.next(LIMIT, used.get(plugin) ?? RateLimit.unused, now)
      used.set(plugin, next.used)
      return next.waitMs > 0 ? Effect.sleep(Duration.millis(next.waitMs)) : Effect.void
    })
}
