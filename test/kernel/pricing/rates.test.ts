import { it } from "@effect/vitest"
import { calcPrice } from "@pydantic/genai-prices"
import { Effect } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import type { ModelUsage } from "../../../src/events/vocabulary/Deciding.ts"
import * as Prices from "../../../src/kernel/pricing/Prices.ts"
import * as Rates from "../../../src/kernel/pricing/Rates.ts"

/** Models with one price, with tiers, with prices of their own for what is written to a cache, and with other prices at other times. */
const MODELS: ReadonlyArray<readonly [string, string]> = [
  ["anthropic", "claude-opus-4"],
  ["anthropic", "claude-sonnet-4-5"],
  ["anthropic", "claude-sonnet-4-6"],
  ["openai", "gpt-5"],
  ["openai", "gpt-4o"],
  ["openai", "gpt-4o-audio-preview"],
  ["google", "gemini-2.5-pro"],
  ["google", "gemini-2.5-flash"],
  ["deepseek", "deepseek-chat"],
  ["mistral", "mistral-large-latest"],
]

const ANSWERED = Date.parse("2026-01-01T12:00:00Z")

const count = fc.oneof(fc.nat(300), fc.nat(1_000_000), fc.integer({ min: 199_990, max: 200_010 }))
const usages: fc.Arbitrary<ModelUsage> = fc.record(
  {
    inputTokens: count,
    outputTokens: count,
    cachedTokens: count,
    cacheWriteTokens: count,
    cacheWrite1hTokens: count,
    reasoningTokens: count,
    inputAudioTokens: fc.constantFrom(0, 7),
  },
  { requiredKeys: ["inputTokens", "outputTokens"] },
)

/** What the package says, in its own units. */
const byPackage = (usage: ModelUsage, provider: string, model: string): number | null => {
  const units = {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_tokens: usage.cachedTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    cache_write_1h_tokens: usage.cacheWrite1hTokens,
    output_reasoning_tokens: usage.reasoningTokens,
    input_audio_tokens: usage.inputAudioTokens,
  }
  try {
    return calcPrice(units, model, { providerId: provider, timestamp: new Date(ANSWERED) })?.total_price ?? null
  } catch {
    return null
  }
}

describe("the rates of a model", () => {
  it.effect("give to the last bit what the package gives, and nothing where it refuses", () =>
    Effect.map(Prices.load(), (table) => {
      fc.assert(
        fc.property(fc.constantFrom(...MODELS), usages, ([provider, model], usage) => {
          fc.pre(usage.inputTokens + usage.outputTokens > 0)
          fc.pre(provider !== "anthropic" || usage.inputTokens === 0 || usage.cacheWriteTokens !== undefined)
          expect(table.costOf(provider, model, usage, ANSWERED)?.usd ?? null).toBe(byPackage(usage, provider, model))
        }),
        { numRuns: 2_000 },
      )
    }),
  )

  it("are there for models with one price and with tiers", () => {
    for (const model of ["claude-opus-4", "claude-sonnet-4-5"]) {
      const units = { input_tokens: 1, output_tokens: 1 }
      const prices = calcPrice(units, model, { providerId: "anthropic" })?.model_price
      const rates = Rates.of(prices, (usage) => byPackage(usage, "anthropic", model))
      expect(rates?.({ inputTokens: 1_000, outputTokens: 10 })).toBe(
        byPackage({ inputTokens: 1_000, outputTokens: 10 }, "anthropic", model),
      )
    }
  })

  it("are not kept where the package says something else", () => {
    expect(Rates.of({ input_mtok: 1, output_mtok: 2 }, () => 3)).toBeUndefined()
    expect(Rates.of({ input_mtok: 1, output_mtok: 2, requests_kcount: 1 }, () => 3)).toBeUndefined()
    expect(Rates.of({ input_mtok: { base: "1" }, output_mtok: 2 }, () => 3)).toBeUndefined()
    expect(Rates.of(undefined, () => undefined)).toBeUndefined()
  })
})
