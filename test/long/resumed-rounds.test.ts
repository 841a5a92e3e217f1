import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { ARENA, DUEL, resumedRounds } from "../worlds/group/resumedRounds.ts"

describe("a group of agents whose kernel was stopped before any of its appends", () => {
  it.scopedLive(
    "is resumed to the end that it would have had, in rounds",
    () =>
      Effect.gen(function* () {
        const places = yield* resumedRounds({ ...ARENA, options: { goal: 2 } }, 1, 1)
        expect(places.length).toBeGreaterThan(40)
      }),
    { timeout: 900_000 },
  )

  it.scopedLive(
    "is resumed to the end that it would have had, in turns",
    () =>
      Effect.gen(function* () {
        const places = yield* resumedRounds(DUEL, 1, 1)
        expect(places.length).toBeGreaterThan(20)
      }),
    { timeout: 900_000 },
  )
})
