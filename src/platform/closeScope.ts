/** Closes a scope without losing an interrupt of the calling fiber. */

import { Effect, type Exit, Fiber, Scope } from "effect"

/**
 * Closes the scope in a fiber of its own. If the calling fiber closed it, an interrupt in the meantime would be lost:
 * Effect's `acquireRelease` restores the fiber's references after each finalizer, including the interruption flag
 * (Effect 3.22; its pull request 8271 fixed the other half).
 */
export const closeScope = (scope: Scope.CloseableScope, exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> =>
  Effect.uninterruptible(Effect.flatMap(Effect.forkDaemon(Scope.close(scope, exit)), Fiber.join))
