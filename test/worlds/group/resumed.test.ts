import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { ARENA, DUEL, resumedRounds } from "./resumedRounds.ts"

/** All appends are in `test/long/`. */
const STEP = 5

describe("a group of agents whose kernel was stopped before one of its appends", () => {
  it.scopedLive(
    `is resumed to the end that it would have had, in rounds: every ${STEP}th append`,
    () =>
      Effect.gen(function* () {
        const places = yield* resumedRounds(ARENA, 2, STEP)
        expect(places.length).toBeGreaterThan(4)
      }),
    { timeout: 120_000 },
  )

  it.scopedLive(
    `is resumed to the end that it would have had, in turns: every ${STEP}th append`,
    () =>
      Effect.gen(function* () {
        const places = yield* resumedRounds(DUEL, 3, STEP)
        expect(places.length).toBeGreaterThan(4)
      }),
    { timeout: 120_000 },
  )
})
