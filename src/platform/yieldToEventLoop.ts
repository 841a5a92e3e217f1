/** Yields from a long computation to Node's event loop. */

import { Effect } from "effect"

/** Lets timers, sockets and waiting appends run. `Effect.yieldNow` yields to other fibers only. */
export const yieldToEventLoop: Effect.Effect<void> = Effect.async((resume) => {
  const immediate = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(immediate))
})

/** How long a computation runs before it yields, in milliseconds. */
export const SLICE_MS = 20

/** Yields every 20 ms or so, so that requests and signals get through: at most one visit blocks. */
export const visitInSlices = <A>(items: ReadonlyArray<A>, visit: (item: A) => void): Effect.Effect<void> => {
  let next = 0
  const slice: Effect.Effect<void> = Effect.suspend(() => {
    const startedAt = performance.now()
    while (next < items.length) {
      visit(items[next++] as A)
      if (performance.now() - startedAt > SLICE_MS) return Effect.zipRight(yieldToEventLoop, slice)
    }
    return Effect.void
  })
  return slice
}
