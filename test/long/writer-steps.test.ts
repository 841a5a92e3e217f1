import { it } from "@effect/vitest"
import { describe } from "vitest"
import { killAtStep, killInTheMiddle, killUnacknowledged, MIDDLES, MORE_STEPS, STEPS } from "../events/faults/steps.ts"

describe("a writer killed at any step of a commit leaves all of the request or nothing", () => {
  it.scopedLive.each([...STEPS, ...MORE_STEPS])("%s: %s %s (%i)", killAtStep)

  it.scopedLive.each(MIDDLES)("%s: in the middle of %s", killInTheMiddle)

  it.scopedLive.each(["one", "many", "flushed", "large"] as const)("%s: before it is acknowledged", killUnacknowledged)
})
