import { Duration, Effect } from "effect"
import * as Monotonic from "../../platform/MonotonicClock.ts"
import { SHORTEST_MS } from "./IntervalGrid.ts"
import * as Rate from "./RateLimit.ts"

/** How often one plugin is read on its own, or speaks up: in the long run no more often than one sensor may be read. */
const MOST: Rate.Rate = { perSecond: 1000 / SHORTEST_MS, atOnce: 100 }

/** Keeps readings that no agent asked for to a rate: waits until the plugin may have another one recorded. */
export type Turn = (plugin: string) => Effect.Effect<void>

/** Turns of the plugins of one place: a task, or the kernel. */
export const make = (): Turn => {
  const used = new Map<string, Rate.Used>()
  return (plugin) =>
    Effect.flatMap(Monotonic.now, (now) => {
      const next = Rate.next(MOST, used.get(plugin) ?? Rate.unused, now)
      used.set(plugin, next.used)
      return next.waitMs > 0 ? Effect.sleep(Duration.millis(next.waitMs)) : Effect.void
    })
}
