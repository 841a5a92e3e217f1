import { it } from "@effect/vitest"
import { describe } from "vitest"
import { killDemoAt } from "../e2e/crash.ts"

/** Every ninth position of the demo's log but for its last few, so that each step of a reading and of a command is hit. */
const POSITIONS = Array.from({ length: 33 }, (_, index) => 3 + index * 9)

describe("a demo killed with SIGKILL, at many moments", () => {
  it.scopedLive.each(POSITIONS)(
    "a demo killed with SIGKILL at @%i leaves a log that verifies and recovers, and no process",
    killDemoAt,
  )
})
