import { it } from "@effect/vitest"
import { describe } from "vitest"
import { killDemoAt } from "./crash.ts"

describe("a demo killed with SIGKILL", () => {
  it.scopedLive.each([1, 12, 60, 150])(
    "a demo killed with SIGKILL at @%i leaves a log that verifies, from which the next kernel recovers, and no process",
    killDemoAt,
  )
})
