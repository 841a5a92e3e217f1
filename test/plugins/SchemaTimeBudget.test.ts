import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { schemaTimeBudget } from "../../src/plugins/schemas/SchemaTimeBudget.ts"

/** Keeps this thread busy. */
const busy = (ms: number) => () => {
  const end = performance.now() + ms
  while (performance.now() < end);
  return "done"
}

describe("the time budget of schemas", () => {
  it.live("answers at once as long as little was taken, and then holds up to the share", () =>
    Effect.gen(function* () {
      const inBudget = schemaTimeBudget({ share: 0.2, burstMs: 40 })
      const startedAt = performance.now()
      expect(yield* inBudget(busy(20))).toBe("done")
      expect(yield* Effect.forEach([1, 2, 3, 4], () => inBudget(busy(20)))).toEqual(Array(4).fill("done"))
      // 100 ms of work, of which 40 are free: a fifth of the time is the rest.
      expect(performance.now() - startedAt).toBeGreaterThan(290)
    }),
  )
})
