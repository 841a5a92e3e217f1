import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as Prices from "../../src/kernel/pricing/Prices.ts"
import * as ProviderUsage from "../../src/kernel/pricing/ProviderUsage.ts"

const step = (type: string, input_tokens: number, output_tokens: number, more: object = {}) => ({
  type,
  input_tokens,
  output_tokens,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  ...more,
})

describe("what an answer of Anthropic's used", () => {
  it("has the tokens of a compaction, which no other count has", () => {
    const usage = { ...step("", 682, 1320), iterations: [step("compaction", 60385, 592), step("message", 682, 1320)] }
    expect(ProviderUsage.anthropic.read(usage)).toEqual({
      inputTokens: 61067,
      outputTokens: 1912,
      cachedTokens: 0,
      cacheWriteTokens: 0,
    })
  })

  it("has the cache of each step", () => {
    const cached = { cache_read_input_tokens: 7, cache_creation: { ephemeral_1h_input_tokens: 3 } }
    const iterations = [
      step("message", 1, 1, cached),
      step("message", 1, 1, { ...cached, cache_creation_input_tokens: 3 }),
    ]
    expect(ProviderUsage.anthropic.read({ ...step("", 2, 2), iterations })).toEqual({
      inputTokens: 19,
      outputTokens: 2,
      cachedTokens: 14,
      cacheWriteTokens: 3,
      cacheWrite1hTokens: 6,
    })
  })

  it("has the tokens of another model apart, whose price the call's model has not", async () => {
    const advised = {
      ...step("", 5, 6),
      iterations: [step("message", 5, 6), step("advisor_message", 20, 8, { model: "n" })],
    }
    const usage = ProviderUsage.anthropic.read(advised)
    expect(usage).toMatchObject({ inputTokens: 5, outputTokens: 6, otherModelTokens: 28 })
    const replaced = {
      ...step("", 412, 264),
      iterations: [step("message", 408, 0), step("fallback_message", 412, 264)],
    }
    expect(ProviderUsage.anthropic.read(replaced)).toMatchObject({
      inputTokens: 412,
      outputTokens: 264,
      otherModelTokens: 408,
    })
    const { price } = await Effect.runPromise(Prices.load())
    expect(price("anthropic", "claude-sonnet-4-5", { inputTokens: 5, outputTokens: 6, ...usage })).toEqual({
      why: "it also used other models, which have other prices",
    })
    const alone = { inputTokens: 5, outputTokens: 6, cacheWriteTokens: 0 }
    expect(price("anthropic", "claude-sonnet-4-5", alone)).toMatchObject({ usd: expect.any(Number) })
  })

  it("is that of the message, where steps are not listed or cannot be read", () => {
    for (const iterations of [undefined, null, [], ["x"], {}]) {
      expect(ProviderUsage.anthropic.read({ ...step("", 5, 6), iterations })).toMatchObject({
        inputTokens: 5,
        outputTokens: 6,
      })
    }
  })
})
