import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import { contend } from "./faults/contention.ts"

const Told = Schema.Array(Schema.Struct({ conflicts: Schema.Number }))

/** Two thousand appends by each are in `test/long/`. */
describe("four processes that append 300 events each to one log at once", () => {
  it.scopedLive(
    "lose none, double none, leave no gap, and fail none for being busy; who follows sees each event once",
    () =>
      Effect.gen(function* () {
        const told = yield* Schema.decodeUnknown(Told)(yield* contend(["a", "b", "c", "d"], 150))
        expect(told).toHaveLength(4)
        // They were in each other's way: some met conflicts, and appended again.
        expect(told.reduce((sum, { conflicts }) => sum + conflicts, 0)).toBeGreaterThan(0)
      }),
    60_000,
  )
})
