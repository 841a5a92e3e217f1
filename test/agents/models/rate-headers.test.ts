import { describe, expect, it } from "vitest"
import { limitsIn } from "../../../src/agents/models/RateHeaders.ts"

const NOW = Date.parse("2026-11-30T12:00:00Z")

describe("the rate limits in an answer's headers", () => {
  it("are read as Anthropic writes them", () => {
    const headers = {
      "anthropic-ratelimit-requests-limit": "50",
      "anthropic-ratelimit-requests-remaining": "49",
      "anthropic-ratelimit-requests-reset": "2026-11-30T12:00:01Z",
      "anthropic-ratelimit-input-tokens-limit": "30000",
      "anthropic-ratelimit-input-tokens-remaining": "0",
      "anthropic-ratelimit-input-tokens-reset": "2026-11-30T12:00:42.5Z",
    }
    expect(limitsIn(headers, NOW)).toEqual({
      requests: { limit: 50, remaining: 49, resetMs: 1_000 },
      tokens: { limit: 30_000, remaining: 0, resetMs: 42_500 },
    })
  })

  it("count from the server's own time, if it says it", () => {
    const headers = {
      date: "Mon, 30 Nov 2026 11:00:00 GMT",
      "anthropic-ratelimit-tokens-remaining": "0",
      "anthropic-ratelimit-tokens-reset": "2026-11-30T11:00:20Z",
    }
    expect(limitsIn(headers, NOW)).toEqual({ tokens: { remaining: 0, resetMs: 20_000 } })
    expect(limitsIn({ ...headers, date: "today" }, NOW)?.tokens?.resetMs).toBe(0)
  })

  it.each([
    ["1s", 1_000],
    ["6m0s", 360_000],
    ["120ms", 120],
    ["2m59.56s", 179_560],
    ["7.66s", 7_660],
    ["1h2m", 3_720_000],
    ["12", 12_000],
    ["999999d", 86_400_000],
  ])("are read as OpenAI and compatible servers write them: %s", (reset, resetMs) => {
    const headers = {
      "x-ratelimit-limit-tokens": "150000",
      "x-ratelimit-remaining-tokens": "149984",
      "x-ratelimit-reset-tokens": reset,
    }
    expect(limitsIn(headers, NOW)).toEqual({ tokens: { limit: 150_000, remaining: 149_984, resetMs } })
  })

  it("are unknown where a header is absent or nonsense", () => {
    expect(limitsIn(undefined, NOW)).toBeUndefined()
    expect(limitsIn({}, NOW)).toBeUndefined()
    for (const [remaining, reset] of [
      ["-1", "1s"],
      ["1e9", "1s"],
      ["9".repeat(400), "1s"],
      ["1", "soon"],
      ["1", "1s".repeat(400)],
      ["1", "-5"],
      ["1", undefined],
    ] as const) {
      const headers = { "x-ratelimit-remaining-requests": remaining, "x-ratelimit-reset-requests": reset }
      expect(limitsIn(headers, NOW)).toBeUndefined()
    }
    const past = {
      "anthropic-ratelimit-requests-remaining": "0",
      "anthropic-ratelimit-requests-reset": "1970-01-01T00:00:00Z",
    }
    expect(limitsIn(past, NOW)).toEqual({ requests: { remaining: 0, resetMs: 0 } })
  })
})
