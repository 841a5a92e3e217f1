import { describe, expect, it } from "vitest"
import { retryAfterMs } from "../../../src/values/time/RetryAfter.ts"

const NOW = Date.UTC(1994, 10, 6, 8, 49, 30)

describe("Retry-After", () => {
  it.each([
    ["7", 7_000],
    ["0", 0],
    ["-3", 0],
    ["1.5", 1_500],
    ["999999999999", 999_999_999_999_000],
    // The three forms of a date (RFC 9110 §5.6.7).
    ["Sun, 06 Nov 1994 08:49:37 GMT", 7_000],
    ["Sunday, 06-Nov-94 08:49:37 GMT", 7_000],
    ["Sun Nov  6 08:49:37 1994 GMT", 7_000],
    ["Sun, 06 Nov 1994 08:49:00 GMT", 0],
  ])("%s asks for a wait of %d ms", (header, ms) => expect(retryAfterMs(header, NOW)).toBe(ms))

  it.each(["", " ", "soon", "1-2", "1 2", "NaN", "Infinity", "Sun, 99 Nov 1994 08:49:37 GMT"])(
    "%j asks for none that is known",
    (header) => expect(retryAfterMs(header, NOW)).toBeUndefined(),
  )
})
