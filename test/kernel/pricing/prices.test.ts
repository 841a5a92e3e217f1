import { it } from "@effect/vitest"
import { calcPrice } from "@pydantic/genai-prices"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { ModelUsage } from "../../../src/events/vocabulary/Deciding.ts"
import * as Prices from "../../../src/kernel/pricing/Prices.ts"

const M = 1_000_000
const ANSWERED = Date.parse("2026-01-01T12:00:00Z")

/** The cost in US dollars; null where it is unknown. */
const usd = (provider: string, model: string, usage: ModelUsage, at = ANSWERED) =>
  Effect.map(Prices.load(), (table) => table.costOf(provider, model, usage, at)?.usd ?? null)

const byTable = (units: { readonly [unit: string]: number }, model: string, providerId: string) =>
  calcPrice(units, model, { providerId, timestamp: new Date(ANSWERED) })?.total_price

describe("what caching saved in a call", () => {
  const saved = (provider: string, model: string, usage: ModelUsage) =>
    Effect.map(Prices.load(), (table) => table.costOf(provider, model, usage, ANSWERED)?.savedUsd)

  it.effect("is the price without a cache minus the cost, and negative where only its writes were paid", () =>
    Effect.gen(function* () {
      const of = (usage: Partial<ModelUsage>) =>
        saved("anthropic", "claude-sonnet-4-5", {
          inputTokens: 100_000,
          outputTokens: 7,
          cacheWriteTokens: 0,
          ...usage,
        })
      // $3 a million tokens; $0.30 read from the cache, $3.75 written for five minutes, $6 for an hour.
      expect(yield* of({ cachedTokens: 100_000 })).toBeCloseTo(0.3 - 0.03, 9)
      expect(yield* of({ cacheWriteTokens: 100_000 })).toBeCloseTo(0.3 - 0.375, 9)
      expect(yield* of({ cacheWriteTokens: 100_000, cacheWrite1hTokens: 100_000 })).toBeCloseTo(0.3 - 0.6, 9)
      expect(yield* of({ cachedTokens: 60_000, cacheWriteTokens: 40_000 })).toBeCloseTo(0.3 - 0.018 - 0.15, 9)
    }),
  )

  it.effect("is absent where no cache was used, and where the cost is unknown", () =>
    Effect.gen(function* () {
      const plain = { inputTokens: 1000, outputTokens: 7, cacheWriteTokens: 0 }
      expect(yield* saved("anthropic", "claude-sonnet-4-5", { ...plain, cachedTokens: 0 })).toBeUndefined()
      expect(yield* saved("anthropic", "claude-sonnet-4-5", plain)).toBeUndefined()
      const { cacheWriteTokens: _, ...uncounted } = plain
      expect(yield* saved("anthropic", "claude-sonnet-4-5", { ...uncounted, cachedTokens: 9 })).toBeUndefined()
      expect(yield* saved("acme", "large", { ...plain, cachedTokens: 9 })).toBeUndefined()
      expect(yield* saved("openai", "gpt-5", { ...uncounted, cachedTokens: 900 })).toBeGreaterThan(0)
    }),
  )
})

describe("the cost of a call", () => {
  it.effect("has cache reads and cache writes for five minutes and for an hour, each at its own price", () =>
    Effect.gen(function* () {
      const of = (usage: Partial<ModelUsage>) =>
        usd("anthropic", "claude-sonnet-4-5", { inputTokens: M, outputTokens: 7, cacheWriteTokens: 0, ...usage })
      expect(yield* of({})).toBe(byTable({ input_tokens: M, output_tokens: 7 }, "claude-sonnet-4-5", "anthropic"))
      // $7.50 and $12 per million tokens in requests above 200,000 tokens.
      expect(yield* of({ cacheWriteTokens: M })).toBeCloseTo(7.5 + (7 * 22.5) / M, 9)
      expect(yield* of({ cacheWriteTokens: M, cacheWrite1hTokens: M })).toBeCloseTo(12 + (7 * 22.5) / M, 9)
      expect(yield* of({ cachedTokens: M })).toBeCloseTo(0.6 + (7 * 22.5) / M, 9)
    }),
  )

  it.effect("has audio, images and web searches at their own prices", () =>
    Effect.gen(function* () {
      const audio = { inputTokens: M, outputTokens: M, inputAudioTokens: M, outputAudioTokens: M }
      const heard = yield* usd("google", "gemini-2.5-flash", { ...audio, outputAudioTokens: 0 })
      const units = { input_tokens: M, output_tokens: M, input_audio_tokens: M, output_audio_tokens: 0 }
      expect(heard).toBe(byTable(units, "gemini-2.5-flash", "google"))
      expect(heard).toBeGreaterThan(
        (yield* usd("google", "gemini-2.5-flash", { inputTokens: M, outputTokens: M })) ?? 99,
      )
      const searched = { inputTokens: M, outputTokens: M, cacheWriteTokens: 0, webSearches: 1000 }
      const { webSearches: _, ...silent } = searched
      const [some, none] = [
        yield* usd("anthropic", "claude-sonnet-4-5", searched),
        yield* usd("anthropic", "claude-sonnet-4-5", silent),
      ]
      expect((some ?? 0) - (none ?? 0)).toBeCloseTo(10, 9)
    }),
  )

  it.effect("is that of the day of the answer", () =>
    Effect.gen(function* () {
      const usage = { inputTokens: M, outputTokens: 0, cacheWriteTokens: 0 }
      const of = (day: string) => usd("anthropic", "claude-sonnet-4-6", usage, Date.parse(day))
      expect([yield* of("2026-03-01"), yield* of("2026-04-01")]).toEqual([6, 3])
    }),
  )

  const unknown: ReadonlyArray<readonly [string, string, string, ModelUsage]> = [
    ["without the count of cache writes", "anthropic", "claude-sonnet-4-5", { inputTokens: 9, outputTokens: 1 }],
    [
      "in another service tier",
      "anthropic",
      "claude-sonnet-4-5",
      { inputTokens: 9, outputTokens: 1, cacheWriteTokens: 0, serviceTier: "batch" },
    ],
    ["in another service tier", "openai", "gpt-5", { inputTokens: 9, outputTokens: 1, serviceTier: "flex" }],
    [
      "where parts are larger than the whole",
      "anthropic",
      "claude-sonnet-4-5",
      { inputTokens: 9, outputTokens: 1, cachedTokens: 6, cacheWriteTokens: 6 },
    ],
    [
      "with searches that the table has no price for",
      "google",
      "gemini-2.0-flash",
      { inputTokens: 9, outputTokens: 1, webSearches: 1 },
    ],
    ["of a model without a price", "openai", "no-such-model", { inputTokens: 9, outputTokens: 1 }],
    ["of a compatible server", "openai-compatible", "gpt-5", { inputTokens: 9, outputTokens: 1 }],
  ]

  for (const [when, provider, model, usage] of unknown) {
    it.effect(`is unknown ${when} (${provider}, ${model})`, () =>
      Effect.gen(function* () {
        expect(yield* usd(provider, model, usage)).toBeNull()
      }),
    )
  }

  it.effect("is known without the count of cache writes where nothing was put in", () =>
    Effect.gen(function* () {
      const found = yield* usd("anthropic", "claude-sonnet-4-5", { inputTokens: 0, outputTokens: M })
      expect(found).toBe(byTable({ input_tokens: 0, output_tokens: M }, "claude-sonnet-4-5", "anthropic"))
    }),
  )

  it.effect("is known in the standard tier, however a provider names it", () =>
    Effect.gen(function* () {
      for (const serviceTier of ["standard", "default", "ON_DEMAND"]) {
        expect(yield* usd("openai", "gpt-5", { inputTokens: M, outputTokens: 0, serviceTier })).toBe(1.25)
      }
    }),
  )
})
