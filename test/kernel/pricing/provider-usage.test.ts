import { calcPrice, extractUsage, findProvider } from "@pydantic/genai-prices"
import { describe, expect, it } from "vitest"
import * as ProviderUsage from "../../../src/kernel/pricing/ProviderUsage.ts"

/** What a format reads from the pieces of an answer. */
const read = (format: ProviderUsage.UsageFormat, ...pieces: ReadonlyArray<unknown>) => {
  const counted = ProviderUsage.counting(format)
  for (const piece of pieces) counted.take(piece)
  return counted.usage()
}

const ANTHROPIC = {
  input_tokens: 10,
  cache_creation_input_tokens: 300,
  cache_read_input_tokens: 2000,
  cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
  output_tokens: 1,
  service_tier: "standard",
  server_tool_use: { web_search_requests: 2 },
}

describe("the usage of an answer", () => {
  it("of Anthropic has cache writes by time, and what a stream says at its beginning and at its end", () => {
    const end = { input_tokens: 10, cache_creation_input_tokens: null, output_tokens: 70 }
    const whole = {
      inputTokens: 2310,
      outputTokens: 70,
      cachedTokens: 2000,
      cacheWriteTokens: 300,
      cacheWrite1hTokens: 200,
      webSearches: 2,
      serviceTier: "standard",
    }
    const start = { type: "message_start", message: { usage: ANTHROPIC } }
    expect(read(ProviderUsage.anthropic, start, {}, { type: "message_delta", usage: end })).toEqual(whole)
    expect(read(ProviderUsage.anthropic, { usage: { ...ANTHROPIC, output_tokens: 70 } })).toEqual(whole)
  })

  it("of Anthropic counts no cache writes where the answer names none, and nothing where there is no usage", () => {
    const usage = { input_tokens: 3, output_tokens: 4 }
    const counted = { inputTokens: 3, outputTokens: 4, cachedTokens: 0, cacheWriteTokens: 0 }
    expect(read(ProviderUsage.anthropic, { usage })).toEqual(counted)
    expect(read(ProviderUsage.anthropic, { usage: null }, { usage: "9" }, {})).toEqual({})
    expect(ProviderUsage.whole(read(ProviderUsage.anthropic, {}))).toBeUndefined()
  })

  it("of OpenAI has audio, cache writes, tier and searches, of chat completions and of responses", () => {
    const chat = {
      service_tier: "flex",
      usage: {
        prompt_tokens: 100,
        prompt_tokens_details: { cached_tokens: 40, audio_tokens: 30, cache_write_tokens: 5 },
        completion_tokens: 50,
        completion_tokens_details: { reasoning_tokens: 20, audio_tokens: 10 },
      },
    }
    expect(read(ProviderUsage.openAi, { usage: null }, chat)).toEqual({
      inputTokens: 100,
      outputTokens: 50,
      cachedTokens: 40,
      cacheWriteTokens: 5,
      inputAudioTokens: 30,
      reasoningTokens: 20,
      outputAudioTokens: 10,
      serviceTier: "flex",
    })
    const usage = { input_tokens: 7, input_tokens_details: { cached_tokens: 0 }, output_tokens: 8 }
    const output = [{ type: "web_search_call" }, { type: "message" }, { type: "web_search_call" }]
    const response = { usage, output, service_tier: "default" }
    const counted = { inputTokens: 7, outputTokens: 8, cachedTokens: 0, webSearches: 2, serviceTier: "default" }
    expect(read(ProviderUsage.openAi, { type: "response.completed", response })).toEqual(counted)
    expect(read(ProviderUsage.openAi, response)).toEqual(counted)
  })

  it("of Gemini has each medium, thoughts and the results of its own tools", () => {
    const usageMetadata = {
      promptTokenCount: 100,
      toolUsePromptTokenCount: 11,
      promptTokensDetails: [
        { modality: "TEXT", tokenCount: 10 },
        { modality: "AUDIO", tokenCount: 60 },
        { modality: "DOCUMENT", tokenCount: 20 },
        { modality: "IMAGE", tokenCount: 10 },
      ],
      cachedContentTokenCount: 50,
      cacheTokensDetails: [{ modality: "AUDIO", tokenCount: 50 }],
      candidatesTokenCount: 30,
      candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 30 }],
      thoughtsTokenCount: 5,
      trafficType: "ON_DEMAND",
    }
    expect(read(ProviderUsage.gemini, { usageMetadata: { promptTokenCount: 1 } }, { usageMetadata })).toEqual({
      inputTokens: 111,
      outputTokens: 35,
      cachedTokens: 50,
      reasoningTokens: 5,
      inputAudioTokens: 60,
      inputImageTokens: 30,
      cachedAudioTokens: 50,
      outputImageTokens: 30,
      serviceTier: "ON_DEMAND",
    })
  })

  it("keeps no count that is none, and believes no absurd one", () => {
    const usage = { input_tokens: 1e300, output_tokens: -1, cache_read_input_tokens: "many" }
    expect(read(ProviderUsage.anthropic, { usage })).toEqual({
      inputTokens: ProviderUsage.MOST_TOKENS,
      cachedTokens: 0,
      cacheWriteTokens: 0,
    })
  })

  it("agrees with the price package's own reading of Anthropic's answers", () => {
    const provider = findProvider({ providerId: "anthropic" })
    if (provider === undefined) throw new Error("no provider")
    const { usage } = extractUsage(provider, { model: "claude-sonnet-4-5", usage: ANTHROPIC })
    const ours = read(ProviderUsage.anthropic, { usage: ANTHROPIC })
    expect(usage).toMatchObject({
      input_tokens: ours.inputTokens,
      output_tokens: ours.outputTokens,
      cache_read_tokens: ours.cachedTokens,
      cache_write_tokens: ours.cacheWriteTokens,
      cache_write_1h_tokens: ours.cacheWrite1hTokens,
      web_searches: ours.webSearches,
    })
    expect(calcPrice(usage, "claude-sonnet-4-5", { providerId: "anthropic" })?.total_price).toBeGreaterThan(0)
  })
})
