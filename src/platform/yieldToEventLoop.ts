import { Effect } from "effect"

/**
 * Gives way to the event loop: timers, sockets and waiting appends get their turn before the effect goes on. For work that
 * goes on for long; `Effect.yieldNow` gives way to other fibers only.
 */
export const yieldToEventLoop: Effect.Effect<void> = Effect.async((resume) => {
  const immediate = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(immediate))
})
