import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { SLICE_MS, visitInSlices } from "../../src/platform/yieldToEventLoop.ts"

it.live("what waits for the event loop runs between two long visits, and an interrupt ends the rest", () =>
  Effect.gen(function* () {
    const visited: Array<number> = []
    let whenSignalled: number | undefined
    setImmediate(() => {
      whenSignalled = visited.length
    })
    const busy = (item: number) => {
      visited.push(item)
      const until = performance.now() + SLICE_MS + 1
      while (performance.now() < until);
    }
    yield* visitInSlices([1, 2, 3, 4], busy)
    expect(visited).toEqual([1, 2, 3, 4])
    expect(whenSignalled).toBe(1)

    visited.length = 0
    yield* Effect.race(
      visitInSlices([1, 2, 3, 4], busy),
      Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void))),
    )
    expect(visited.length).toBeLessThan(4)
  }),
)
