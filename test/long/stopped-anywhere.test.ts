import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { stoppedAnywhere } from "../kernel/stoppedAnywhere.ts"

describe("a kernel that is stopped before any of its appends while another one takes over", () => {
  it.scoped(
    "appends nothing more when it goes on, and answers LeaseLost",
    () =>
      Effect.gen(function* () {
        const places = yield* stoppedAnywhere(1, 1)
        expect(places.length).toBeGreaterThanOrEqual(32)
      }),
    { timeout: 900_000 },
  )
})
