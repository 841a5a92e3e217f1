import { Effect, type Exit, Fiber, Scope } from "effect"

/**
 * Closes a scope without losing an interruption of whoever closes it. Effect's `acquireRelease` puts a fiber's references
 * back after each finalizer, and among them whether it was interrupted: what arrived meanwhile, where nothing may be
 * interrupted, was forgotten (Effect 3.22; its pull request 8271 mended the other half). So a fiber of its own closes it.
 */
export const closeScope = (scope: Scope.CloseableScope, exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> =>
  Effect.uninterruptible(Effect.flatMap(Effect.forkDaemon(Scope.close(scope, exit)), Fiber.join))
