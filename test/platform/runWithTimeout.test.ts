import { describe, expect, it } from "vitest"
import { runWithTimeout, TookTooLong } from "../../src/platform/runWithTimeout.ts"

describe("limited", () => {
  it("answers what the function does, and throws what it throws", () => {
    expect(runWithTimeout(() => 1 + 1, 1_000)).toBe(2)
    expect(() =>
      runWithTimeout(() => {
        throw new RangeError("too far")
      }, 1_000),
    ).toThrow(RangeError)
  })

  it("stops a loop and a regular expression that do not end", () => {
    const endless = () => {
      for (;;);
    }
    expect(() => runWithTimeout(endless, 50)).toThrow(TookTooLong)
    expect(() => runWithTimeout(() => /^(a+)+$/.test(`${"a".repeat(60)}!`), 50)).toThrow(TookTooLong)
    expect(runWithTimeout(() => "still here", 1_000)).toBe("still here")
  })

  it("leaves errors their stacks after code was stopped that does without them", () => {
    const { stackTraceLimit } = Error
    const endless = () => {
      Error.stackTraceLimit = 0
      try {
        for (;;);
      } finally {
        Error.stackTraceLimit = stackTraceLimit
      }
    }
    expect(() => runWithTimeout(endless, 50)).toThrow(TookTooLong)
    expect(Error.stackTraceLimit).toBe(stackTraceLimit)
    expect(new Error("with its stack").stack).toContain("runWithTimeout.test")
  })

  it("runs a function again that did not come to its turn, but stood still", () => {
    let times = 0
    const standsStillOnce = () => {
      times++
      if (times === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000)
      return times
    }
    expect(runWithTimeout(standsStillOnce, 500)).toBe(2)
  })
})
