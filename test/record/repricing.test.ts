import { it } from "@effect/vitest"
import { calcPrice } from "@pydantic/genai-prices"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { Any, EventLog, layerMemory } from "../../src/events/index.ts"
import { reprice } from "../../src/record/Repricing.ts"
import type { Json } from "../../src/values/Json.ts"

const M = 1_000_000
const MODEL = "claude-sonnet-4-5"
const ANSWERED = Date.parse("2026-01-01T12:00:00Z")

/** A model call as a log has it: the request, its answer and, of a recorded program, the raw response. */
const call = (
  id: string,
  usage: { readonly [count: string]: Json } | undefined,
  {
    url,
    raw,
    usd,
    provider = "anthropic",
    model = MODEL,
    prices = "genai-prices@0.1.0",
  }: { url?: string; raw?: Json; usd?: number; provider?: string; model?: string; prices?: string } = {},
) => {
  const http = url === undefined ? {} : { http: { url } }
  const cost = usd === undefined ? {} : { cost: { usd, prices } }
  const ended =
    usage === undefined
      ? { type: "ModelFailed", payload: { kind: "cut-off", reason: "it broke off", latencyMs: 1 } }
      : { type: "ModelResponded", payload: { response: {}, usage, latencyMs: 1, ...cost } }
  const body = JSON.stringify({ type: "message", usage: raw ?? null })
  const answer = { io: "fetch", result: { url: url ?? "", status: 200, chunks: [[0, body]], end: "clean" } }
  return [
    {
      type: "ModelCalled",
      id,
      occurredAt: ANSWERED - 1,
      payload: { provider, model, requestDigest: "0".repeat(64), request: { messages: [], ...http } },
    },
    { ...ended, causationId: id, occurredAt: ANSWERED },
    ...(raw === undefined ? [] : [{ type: "IoAnswered", causationId: id, occurredAt: ANSWERED, payload: answer }]),
  ]
}

const ids = [1, 2, 3, 4, 5].map((index) => `01a1ff5c-33cd-7222-8722-00000000000${index}`)
const [first = "", second = "", third = "", fourth = "", fifth = ""] = ids

const logged = (...calls: ReadonlyArray<ReturnType<typeof call>>) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    if (calls.length > 0)
      yield* log.append({ stream: "task/t1", taskId: "t1", actor: "agent:a", expected: Any, events: calls.flat() })
    return yield* reprice()
  }).pipe(Effect.provide(layerMemory()))

const OFFICIAL = "https://api.anthropic.com/v1/messages"

describe("repricing a log", () => {
  it.effect("counts a recorded call again from its raw response, and leaves the log as it is", () =>
    Effect.gen(function* () {
      const raw = { input_tokens: 10, cache_creation_input_tokens: M, cache_read_input_tokens: 0, output_tokens: 7 }
      const found = yield* logged(
        call(first, { inputTokens: M + 10, outputTokens: 7, cachedTokens: 0 }, { url: OFFICIAL, raw, usd: 6 }),
      )
      const units = { input_tokens: M + 10, cache_write_tokens: M, output_tokens: 7 }
      const usd = calcPrice(units, MODEL, { providerId: "anthropic", timestamp: new Date(ANSWERED) })?.total_price
      expect(usd).toBeGreaterThan(7.5)
      expect(found).toEqual({
        calls: 1,
        recorded: { atLeast: 6, unpriced: 0, saved: { usd: null, known: 0, unknown: 1 } },
        repriced: { atLeast: expect.closeTo(usd ?? 0, 8), unpriced: 0, saved: expect.objectContaining({ unknown: 0 }) },
        models: [expect.objectContaining({ model: `anthropic/${MODEL}`, changed: 1, unknown: {} })],
      })
    }),
  )

  it.effect("tells what the caches saved, by the rule of audits", () =>
    Effect.gen(function* () {
      const usage = { inputTokens: M, outputTokens: 10, cachedTokens: M, cacheWriteTokens: 0 }
      const found = yield* logged(
        call(first, usage, { usd: 0.3 }),
        call(second, { inputTokens: 10, outputTokens: 7, cachedTokens: 0, cacheWriteTokens: 0 }, { usd: 0.1 }),
      )
      const priced = (units: Parameters<typeof calcPrice>[0]) =>
        calcPrice(units, MODEL, { providerId: "anthropic", timestamp: new Date(ANSWERED) })?.total_price ?? 0
      const uncached = priced({ input_tokens: M, output_tokens: 10 })
      const cached = priced({ input_tokens: M, cache_read_tokens: M, output_tokens: 10 })
      expect(uncached - cached).toBeGreaterThan(1)
      const saved = expect.closeTo(uncached - cached, 8)
      expect(found.repriced.saved).toEqual({ usd: saved, known: saved, unknown: 0 })
      expect(found.models[0]?.repriced.saved).toEqual(found.repriced.saved)
      // The recorded cost does not tell what the cache saved.
      expect(found.recorded.saved).toEqual({ usd: null, known: 0, unknown: 1 })
    }),
  )

  it.effect("says why a cost stays unknown, and never takes it for 0", () =>
    Effect.gen(function* () {
      const found = yield* logged(
        call(first, { inputTokens: 10, outputTokens: 7, cachedTokens: 5 }, { usd: 0.5 }),
        call(
          second,
          { inputTokens: 10, outputTokens: 7, cacheWriteTokens: 0 },
          { url: "http://127.0.0.1:9/v1/messages" },
        ),
        call(third, { inputTokens: 0, outputTokens: 0 }),
        call(fourth, undefined),
        call(fifth, { inputTokens: 1, outputTokens: 1 }, { provider: "own" }),
      )
      expect(found).toMatchObject({ calls: 5, recorded: { atLeast: 0.5 }, repriced: { atLeast: 0, unpriced: 5 } })
      expect(found.models.map(({ model, unknown }) => [model, unknown])).toEqual([
        [
          `anthropic/${MODEL}`,
          {
            "the number of tokens written to the cache is not on record": 1,
            "it was asked of another server than the provider's own": 1,
            "its tokens are not on record": 2,
          },
        ],
        [`own/${MODEL}`, { "the prices of own are not known": 1 }],
      ])
    }),
  )

  it.effect("of a log without model calls has none", () =>
    Effect.gen(function* () {
      expect(yield* logged()).toMatchObject({ calls: 0, models: [] })
    }),
  )

  it.effect("keeps the cost that a source names, and prices other providers' own servers by the table", () =>
    Effect.gen(function* () {
      const used = { inputTokens: 1000, outputTokens: 1000 }
      const mistral = "https://api.mistral.ai/v1/chat/completions"
      const found = yield* logged(
        call(first, used, { url: OFFICIAL, usd: 0.5, prices: "source" }),
        call(second, used, { url: mistral, provider: "mistral", model: "mistral-large-latest" }),
        call(third, { ...used, outputTokens: 0, unknown: ["outputTokens"] }, { url: OFFICIAL }),
      )
      const priced = calcPrice({ input_tokens: 1000, output_tokens: 1000 }, "mistral-large-latest", {
        providerId: "mistral",
        timestamp: new Date(ANSWERED),
      })
      expect(priced?.total_price).toBeGreaterThan(0)
      expect(found.models).toMatchObject([
        {
          model: `anthropic/${MODEL}`,
          repriced: { atLeast: 0.5, unpriced: 1 },
          changed: 0,
          unknown: { "the number of tokens of the answer is not on record": 1 },
        },
        { model: "mistral/mistral-large-latest", repriced: { atLeast: priced?.total_price, unpriced: 0 } },
      ])
    }),
  )
})
