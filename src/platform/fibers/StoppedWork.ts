/** Work that a callback may stop: cheaper than a race, which runs both sides in fibers of their own. */

import { Effect, type Exit, Fiber } from "effect"
import { endingWith } from "../OneAtATime.ts"
import * as CallingFiber from "./CallingFiber.ts"

/** Registers a function that stops the work when it is called. Returns a function that ends the registration. */
export type Listen = (stop: () => void) => () => void

/** How the work ended, and whether it was stopped before. */
export interface Ended<A, E> {
  readonly exit: Exit.Exit<A, E>
  readonly stopped: boolean
}

/**
 * Runs work in a fiber of its own until it ends, or until it is stopped and its interruption is complete. An interrupt
 * of the caller interrupts the work and waits for it.
 */
export const run = <A, E>(work: Effect.Effect<A, E>, listen: Listen): Effect.Effect<Ended<A, E>> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.fork(restore(work)), (fiber) => {
      let stopped = false
      const end = listen(() => {
        if (stopped) return
        stopped = true
        CallingFiber.interrupt(fiber)
      })
      const exit = Effect.async<Exit.Exit<A, E>>((resume) => {
        fiber.addObserver((exit) => resume(Effect.succeed(exit)))
      })
      const waiting = Effect.onInterrupt(restore(exit), () => Fiber.interrupt(fiber))
      return endingWith(
        Effect.map(waiting, (exit): Ended<A, E> => ({ exit, stopped })),
        end,
      )
    }),
  )
