import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import * as Together from "../../src/kernel/sensing/Together.ts"

describe("effects that are run together", () => {
  it.effect("answer in their order, whichever ends first", () =>
    Effect.gen(function* () {
      const second = yield* Deferred.make<string>()
      const answers = yield* Together.forEach([1, 2], (item) =>
        item === 1
          ? Effect.map(Deferred.await(second), (told) => `1 after ${told}`)
          : Effect.as(Deferred.succeed(second, "2"), "2"),
      )
      expect(answers).toEqual(["1 after 2", "2"])
      expect(yield* Together.forEach([], () => Effect.never)).toEqual([])
      expect(yield* Together.forEach([7], Effect.succeed)).toEqual([7])
    }),
  )

  it.effect("fail with the first that fails, once the others have ended", () =>
    Effect.gen(function* () {
      let ended = 0
      const end = Effect.sync(() => {
        ended += 1
      })
      const waiting = Effect.onInterrupt(Effect.never, () => end)
      const exit = yield* Effect.exit(
        Together.forEach([1, 2, 3], (item) =>
          item === 2 ? Effect.zipRight(Effect.yieldNow(), Effect.fail("no")) : waiting,
        ),
      )
      expect([exit, ended]).toEqual([Exit.fail("no"), 2])
    }),
  )

  it.effect("are all interrupted with who runs them, which waits for their ends", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      let ended = 0
      const end = Effect.sync(() => {
        ended += 1
      })
      const running = yield* Effect.fork(
        Together.forEach([1, 2], (item) =>
          Effect.zipRight(item === 2 ? Deferred.succeed(begun, undefined) : Effect.void, Effect.never).pipe(
            Effect.onInterrupt(() => Effect.zipRight(Effect.yieldNow(), end)),
          ),
        ),
      )
      yield* Deferred.await(begun)
      expect(Exit.isInterrupted(yield* Fiber.interrupt(running))).toBe(true)
      expect(ended).toBe(2)
    }),
  )
})
