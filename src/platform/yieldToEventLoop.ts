/** Yields from a long computation to Node's event loop. */

import { Effect } from "effect"

/**
 * Yields to the event loop, so that timers, sockets and waiting appends run before the effect continues.
 * `Effect.yieldNow` yields to other fibers only.
 */
export const yieldToEventLoop: Effect.Effect<void> = Effect.async((resume) => {
  const immediate = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(immediate))
})
