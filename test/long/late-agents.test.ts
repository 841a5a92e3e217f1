/** Groups whose agents are late at random, in many runs: replayed, forked from many moments, and resumed after many appends. */
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { forkedAnywhere, resumedAfter } from "../worlds/group/lateAgents.ts"

const WORLDS = ["arena", "duel"]

describe.each(WORLDS)("agents of a group in the %s that are late at random", (world) => {
  it.scopedLive(
    "are replayed as they were, and forked from whichever moment",
    () =>
      Effect.gen(function* () {
        let late = 0
        for (let seed = 1; seed <= 4; seed++) late += yield* forkedAnywhere(world, seed, 4)
        expect(late).toBeGreaterThan(0)
      }),
    { timeout: 600_000 },
  )

  it.scopedLive(
    "are resumed, whenever their kernel was stopped",
    () =>
      Effect.gen(function* () {
        let late = 0
        for (let count = 6; count < 110; count += 8) late += (yield* resumedAfter(world, count, count)) ?? 0
        expect(late).toBeGreaterThan(0)
      }),
    { timeout: 600_000 },
  )
})
