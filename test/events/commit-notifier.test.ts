import { it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { describe, expect } from "vitest"
import * as CommitNotifier from "../../src/events/read/CommitNotifier.ts"

describe("one who waits for commits", () => {
  it.live("is told of one that came after a wait that was interrupted", () =>
    Effect.gen(function* () {
      const { notify, listen } = CommitNotifier.make()
      const { committed, end } = CommitNotifier.awaiting(listen, () => true)
      yield* Effect.raceFirst(committed, Effect.void)
      const interrupted = yield* Effect.fork(committed)
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(interrupted)
      notify()
      const next = yield* Effect.fork(committed)
      yield* Effect.yieldNow()
      expect((yield* Fiber.poll(next))._tag).toBe("Some")
      const later = yield* Effect.fork(committed)
      yield* Effect.yieldNow()
      expect((yield* Fiber.poll(later))._tag).toBe("None")
      end()
      yield* Fiber.interrupt(later)
    }),
  )
})
