import { it } from "@effect/vitest"
import { describe } from "vitest"
import { killAtCheckpoint, killAtStep, killInTheMiddle, killUnacknowledged, killWhileMaking, STEPS } from "./steps.ts"

/** The other steps are in `test/long/`. */
describe("a writer killed at a step of a commit leaves all of the request or nothing", () => {
  it.scopedLive.each(STEPS)("%s: %s %s (%i)", killAtStep)

  it.scopedLive("many: in the middle of COMMIT", () => killInTheMiddle(["many", "COMMIT"]))

  it.scopedLive("one: before it is acknowledged", () => killUnacknowledged("one"))
})

describe("a writer killed while it writes the write-ahead log back", () => {
  it.scopedLive("leaves what it was acknowledged", () => killAtCheckpoint("during"))
})

describe("a program killed while it makes a log", () => {
  it.scopedLive("leaves what the next one opens as a new log", () => killWhileMaking(["before", "COMMIT"]))
})
