import { it } from "@effect/vitest"
import { describe } from "vitest"
import { killAtStep, killInTheMiddle, killUnacknowledged, STEPS } from "./steps.ts"

/** The other steps are in `test/long/`. */
describe("a writer killed at a step of a commit leaves all of the request or nothing", () => {
  it.scopedLive.each(STEPS)("%s: %s %s (%i)", killAtStep)

  it.scopedLive("many: in the middle of COMMIT", () => killInTheMiddle(["many", "COMMIT"]))

  it.scopedLive("one: before it is acknowledged", () => killUnacknowledged("one"))
})
