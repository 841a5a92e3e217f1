import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { campaign, type Death } from "./killing.ts"

/** Each commit from the second on, before or after it: the start of a process, its first signals, tasks at work. */
const DEATHS: ReadonlyArray<Death> = Array.from({ length: 20 }, (_, index) => ({
  commits: 2 + index,
  moment: index % 2 === 0 ? "after" : "before",
}))

describe("a process that serves a webhook, killed with SIGKILL 20 times while signals come", () => {
  it.live(
    "loses no acknowledged signal and handles none twice",
    () =>
      Effect.gen(function* () {
        expect(yield* campaign(DEATHS)).toBeGreaterThan(20)
      }),
    { timeout: 180_000 },
  )
})
