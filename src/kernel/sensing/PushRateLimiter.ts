import { Duration, Effect } from "effect"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import { SHORTEST_MS } from "./IntervalGrid.ts"
import * as RateLimit from "./RateLimit.ts"

/** How often one plugin is read on its own, or speaks up: in the long run no more often than one sensor may be read. */
const MOST: RateLimit.Rate = { perSecond: 1000 / SHORTEST_MS, atOnce: 100 }

/** Keeps readings that no agent asked for to a rate: waits until the plugin may have another one recorded. */
export type PushRateLimiter = (plugin: string) => Effect.Effect<void>

/** Turns of the plugins of one place: a task, or the kernel. */
export const make = (): PushRateLimiter => {
  const used = new Map<string, RateLimit.Used>()
  return (plugin) =>
    Effect.flatMap(MonotonicClock.now, (now) => {
      const next = RateLimit.next(MOST, used.get(plugin) ?? RateLimit.unused, now)
      used.set(plugin, next.used)
      return next.waitMs > 0 ? Effect.sleep(Duration.millis(next.waitMs)) : Effect.void
    })
}
