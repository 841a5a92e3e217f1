import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { resumedAnywhere } from "../kernel/resume/resumedAnywhere.ts"

describe("a task whose kernel was stopped before any of its appends", () => {
  it.scopedLive(
    "is resumed to its end by the next kernel",
    () =>
      Effect.gen(function* () {
        const places = yield* resumedAnywhere(1, 1)
        expect(places.length).toBeGreaterThan(20)
      }),
    { timeout: 900_000 },
  )
})
