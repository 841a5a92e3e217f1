import { it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { describe, expect } from "vitest"
import * as PushRateLimiter from "../../../src/kernel/sensing/PushRateLimiter.ts"

describe("readings that nobody asked for", () => {
  it.effect("are taken a hundred a second of each plugin, after the first hundred, however many wait", () =>
    Effect.gen(function* () {
      const turn = PushRateLimiter.make()
      const taken = { a: 0, b: 0 }
      const ask = (plugin: "a" | "b") =>
        Effect.map(turn(plugin), () => {
          taken[plugin] += 1
        })
      yield* Effect.forkAll(Array.from({ length: 300 }, () => ask("a")))
      yield* Effect.forkAll(Array.from({ length: 50 }, () => ask("b")))
      yield* TestClock.adjust(0)
      expect(taken).toEqual({ a: 100, b: 50 })
      yield* TestClock.adjust("1 seconds")
      expect(taken.a).toBe(200)
      yield* TestClock.adjust("1 seconds")
      expect(taken.a).toBe(300)
    }),
  )
})
