/** Turns functions that throw or reject into Effects. */
import { Data, Effect } from "effect"

export class HooksFailed extends Data.TaggedError("HooksFailed")<{ readonly reason: string }> {
  override get message() {
    return this.reason
  }
}

export const failureOf = (cause: unknown): HooksFailed =>
  new HooksFailed({ reason: cause instanceof Error ? cause.message : String(cause) })

/** Interruption aborts the signal and waits until the promise settles, so that its work has ended. */
export const attemptUntilAborted = <A, E>(
  does: (signal: AbortSignal) => Promise<A>,
  failed: (cause: unknown) => E,
): Effect.Effect<A, E> =>
  Effect.async<A, E>((resume) => {
    const controller = new AbortController()
    const settled = does(controller.signal).then(
      (value) => resume(Effect.succeed(value)),
      (cause) => resume(Effect.fail(failed(cause))),
    )
    return Effect.promise(() => {
      controller.abort()
      return settled
    })
  })

export const attempt = <A>(does: () => A | Promise<A>): Effect.Effect<A, HooksFailed> =>
  Effect.tryPromise({
    try: async () => does(),
    catch: failureOf,
  })
