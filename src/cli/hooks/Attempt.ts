/** What may throw, as an Effect. */
import { Data, Effect } from "effect"

/** Something about hooks failed. */
export class HooksFailed extends Data.TaggedError("HooksFailed")<{ readonly reason: string }> {
  override get message() {
    return this.reason
  }
}

/** Does something that may throw or reject. Fails with `HooksFailed`. */
export const attempt = <A>(does: () => A | Promise<A>): Effect.Effect<A, HooksFailed> =>
  Effect.tryPromise({
    try: async () => does(),
    catch: (cause) => new HooksFailed({ reason: cause instanceof Error ? cause.message : String(cause) }),
  })
