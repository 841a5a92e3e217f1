import { it } from "@effect/vitest"
import { describe } from "vitest"
import {
  CHECKPOINTS,
  killAtCheckpoint,
  killAtStep,
  killInTheMiddle,
  killUnacknowledged,
  killWhileMaking,
  MAKING,
  MIDDLES,
  MORE_STEPS,
  STEPS,
} from "../events/faults/steps.ts"

describe("a writer killed at any step of a commit leaves all of the request or nothing", () => {
  it.scopedLive.each([...STEPS, ...MORE_STEPS])("%s: %s %s (%i)", killAtStep)

  it.scopedLive.each(MIDDLES)("%s: in the middle of %s", killInTheMiddle)

  it.scopedLive.each(["one", "many", "flushed", "large"] as const)("%s: before it is acknowledged", killUnacknowledged)
})

describe("a writer killed while it writes the write-ahead log back leaves what it was acknowledged", () => {
  it.scopedLive.each(CHECKPOINTS)("%s", killAtCheckpoint)
})

describe("a program killed while it makes a log leaves what the next one opens as a new log", () => {
  it.scopedLive.each(MAKING)("%s %s", killWhileMaking)
})
