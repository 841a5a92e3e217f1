/**
 * Fibers as seen from callbacks. No other module reads a fiber's state, since that part of Effect changes between
 * versions.
 */

import { Cause, Effect, type Fiber, FiberId, FiberRef, RuntimeFlags } from "effect"

/** The calling fiber, if it can be interrupted. */
export type Caller = Fiber.RuntimeFiber<unknown, unknown> | undefined

/**
 * Asking `isWaiting` when it matters costs much less than an `onInterrupt` around every call (measured: an append takes
 * 6 µs instead of 13 µs).
 */
export const withCaller = <A, E, R>(use: (caller: Caller) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime((fiber, { runtimeFlags }) =>
    use(RuntimeFlags.interruptible(runtimeFlags) ? (fiber as Fiber.RuntimeFiber<unknown, unknown>) : undefined),
  )

/** Tells whether the caller still waits, uninterrupted. */
export const isWaiting = (caller: Caller): boolean =>
  caller === undefined || Cause.isEmpty(caller.getFiberRef(FiberRef.interruptedCause))

/** Interrupts a fiber from a callback, without waiting for its end. */
export const interrupt = <A, E>(fiber: Fiber.RuntimeFiber<A, E>): void => fiber.unsafeInterruptAsFork(FiberId.none)
