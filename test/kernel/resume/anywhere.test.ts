import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { resumedAnywhere } from "./resumedAnywhere.ts"

/** All appends are in `test/long/`. */
const STEP = 2

describe("a task whose kernel was stopped before one of its appends", () => {
  it.scopedLive(
    `is resumed to its end by the next kernel: every ${STEP}nd append`,
    () =>
      Effect.gen(function* () {
        const places = yield* resumedAnywhere(2, STEP)
        expect(places.length).toBeGreaterThan(8)
      }),
    { timeout: 120_000 },
  )
})
