import { describe, expect, it } from "vitest"
import { backoffMs, DEFAULT_RETRIES } from "../../../src/agents/models/Backoff.ts"
import { classify, LONGEST_REASON, LONGEST_RETRY_AFTER_MS } from "../../../src/agents/models/Failure.ts"
import * as Secrets from "../../../src/agents/models/secrets/Secrets.ts"

const NOW = Date.parse("2026-11-22T22:00:00Z")

/** An error as a package makes it of an answer that is none. */
const call = (statusCode: number | undefined, message: string, more: object = {}) =>
  Object.assign(new Error(message), {
    name: "AI_APICallError",
    url: "https://api.test/v1/chat",
    data: {},
    statusCode,
    ...more,
  })

const classified = (error: unknown) => classify(error, (text) => text, NOW)

describe("an error", () => {
  it.each([
    [401, "no", "unauthorized"],
    [403, "no", "unauthorized"],
    [404, "no", "unknown-model"],
    [408, "no", "timed-out"],
    [413, "no", "context-too-long"],
    [422, "no", "invalid-request"],
    [429, "no", "rate-limited"],
    [500, "no", "overloaded"],
    [503, "no", "overloaded"],
    [529, "no", "overloaded"],
    [400, "no", "invalid-request"],
    [400, "prompt is too long: 210000 tokens > 200000 maximum", "context-too-long"],
    [400, "This model's maximum context length is 8192 tokens", "context-too-long"],
    [400, "The input token count (9) exceeds the maximum number of tokens allowed (8).", "context-too-long"],
    [400, "API key not valid. Please pass a valid API key.", "unauthorized"],
    [400, "The requested model 'gpt-9' does not exist.", "unknown-model"],
    [400, "The response was filtered due to the prompt triggering content management policy", "refused"],
  ])("of status %i that says %j is %s", (status, message, kind) => {
    expect(classified(call(status, message)).kind).toBe(kind)
  })

  it.each([
    ["a connection that was refused", call(undefined, "Cannot connect to API"), "unreachable"],
    ["a body that broke off", call(200, "Cannot connect to API: terminated"), "cut-off"],
    ["a stream that broke off", new TypeError("terminated"), "cut-off"],
    [
      "headers that never came",
      new TypeError("fetch failed", { cause: { code: "UND_ERR_HEADERS_TIMEOUT" } }),
      "timed-out",
    ],
    ["JSON that is none", Object.assign(new Error("x"), { name: "AI_JSONParseError" }), "unreadable"],
    [
      "a file that a package cannot send",
      Object.assign(new Error("x"), { name: "AI_UnsupportedFunctionalityError" }),
      "invalid-request",
    ],
    ["an error that Anthropic streams", { type: "overloaded_error", message: "Overloaded" }, "overloaded"],
    ["an error that OpenAI streams", { code: "context_length_exceeded", message: "x" }, "context-too-long"],
    ["an error that Google streams", { code: 429, status: "RESOURCE_EXHAUSTED", message: "x" }, "rate-limited"],
    ["an error that Ollama streams", "model runner has stopped: internal_error", "overloaded"],
    ["a mistake of a package", new RangeError("x is not a function"), "unreadable"],
    ["nothing", undefined, "cut-off"],
  ])("from %s has its kind", (_of, error, kind) => {
    expect(classified(error).kind).toBe(kind)
  })

  it.each([
    [{ "retry-after": "7" }, 7000],
    [{ "retry-after": "1.5" }, 1500],
    [{ "retry-after-ms": "250", "retry-after": "7" }, 250],
    [{ "retry-after": "Sun, 22 Nov 2026 22:00:30 GMT" }, 30_000],
    [{ "retry-after": "Sun, 22 Nov 2026 21:00:00 GMT" }, 0],
    [{ "retry-after": "-5" }, 0],
    [{ "retry-after": "99999999999" }, LONGEST_RETRY_AFTER_MS],
    [{ "retry-after": "soon" }, undefined],
    [{}, undefined],
  ])("with the headers %j asks to wait %s ms", (responseHeaders, ms) => {
    expect(classified(call(429, "no", { responseHeaders })).retryAfterMs).toBe(ms)
  })

  it("of Google says in its body how long to wait", () => {
    const responseBody = JSON.stringify({ error: { details: [{ retryDelay: "34.5s" }] } }, null, 2)
    expect(classified(call(429, "no", { responseBody })).retryAfterMs).toBe(34_500)
  })

  it("gives no more of what was said than the limit, and no half characters", () => {
    const { reason } = classified(call(400, "😀".repeat(400)))
    expect(reason.length).toBeLessThanOrEqual(LONGEST_REASON)
    expect(reason.isWellFormed()).toBe(true)
  })

  it("holds no key in any notation, no credentials, no headers and no request", () => {
    const key = 'sk-"test"+4f9b1c7d/2e8a'
    const said = `${key} ${JSON.stringify(key)} ${encodeURIComponent(key)} http://me:pass@host/x Bearer abcdef`
    const error = call(400, said, { requestBodyValues: { prompt: "PROMPT" }, responseHeaders: { "x-h": "HEADER" } })
    const { reason } = classify(error, Secrets.of([key]).redact, NOW)
    expect(reason).toBe('HTTP 400: [redacted] "[redacted]" [redacted] http://[redacted]@host/x Bearer [redacted]')
  })
})

describe("the wait before a retry", () => {
  it("doubles from a second to a minute, half of it by chance", () => {
    const waits = (random: number) => Array.from({ length: 9 }, (_, attempt) => backoffMs(attempt, {}, random))
    expect(waits(1)).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000])
    expect(waits(0)).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
    expect(backoffMs(2000, {}, 1)).toBe(60_000)
    expect(waits(1).slice(0, DEFAULT_RETRIES)).toEqual([1000, 2000, 4000, 8000])
  })

  it("is what the provider asked for, up to ten minutes", () => {
    expect(backoffMs(0, { retryAfterMs: 7000 }, 1)).toBe(7000)
    expect(backoffMs(5, { retryAfterMs: 0 }, 1)).toBe(0)
    expect(backoffMs(0, { retryAfterMs: 86_400_000 }, 1)).toBe(600_000)
  })
})
