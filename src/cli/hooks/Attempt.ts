/** Turns functions that throw or reject into Effects. */
import { Data, Effect } from "effect"

export class HooksFailed extends Data.TaggedError("HooksFailed")<{ readonly reason: string }> {
  override get message() {
    return this.reason
  }
}

export const attempt = <A>(does: () => A | Promise<A>): Effect.Effect<A, HooksFailed> =>
  Effect.tryPromise({
    try: async () => does(),
    catch: (cause) => new HooksFailed({ reason: cause instanceof Error ? cause.message : String(cause) }),
  })
