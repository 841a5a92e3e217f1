import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { campaign } from "./killing.ts"

/** At which commits processes die, one after another. */
const COMMITS = [22, 9, 13, 31]

describe("a tree of tasks with memories and a child that a program started, killed at its commits", () => {
  it.live(
    "is resumed as a whole: no child starts twice, no cost counts twice, no memory is stored twice",
    () =>
      Effect.gen(function* () {
        let next = 0
        const { kills } = yield* campaign(3, () => {
          next += 1
          return { commits: COMMITS[next % COMMITS.length] ?? 9, moment: next % 2 === 0 ? "before" : "after" }
        })
        expect(kills).toBeGreaterThanOrEqual(3)
      }),
    { timeout: 180_000 },
  )
})
