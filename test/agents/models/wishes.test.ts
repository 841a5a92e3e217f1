import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { fromModel } from "../../../src/agents/ModelAgent.ts"
import type { TurnRequest } from "../../../src/agents/models/Model.ts"
import * as Models from "../../../src/agents/models/Models.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import { eventsOf } from "../../agents/given.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { asking, KEY, type ProviderName, providers, server } from "./servers.ts"

/** What a provider's server receives of a request, and how the request fails: the server refuses all. */
const sent = (provider: ProviderName, more: Partial<TurnRequest>, named: string = providers[provider].model) =>
  Effect.gen(function* () {
    const bodies: Array<unknown> = []
    const url = yield* server((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        bodies.push(JSON.parse(Buffer.concat(chunks).toString()))
        response.writeHead(400).end("{}")
      })
    })
    const model = yield* Models.load(`${provider}/${named}`, { baseURL: url + providers[provider].path, apiKey: KEY })
    const failure = yield* Effect.flip(model.turn(asking("Go", more), () => {}))
    return { bodies, failure }
  })

describe("a wish of a request", () => {
  it.scopedLive.each([
    ["anthropic", undefined, { reasoning: "low" }, { thinking: { type: "enabled", budget_tokens: 2048 } }],
    ["anthropic", "claude-opus-4-20250514", { reasoning: "low" }, { thinking: { budget_tokens: 2048 } }],
    [
      "anthropic",
      "claude-opus-4-6",
      { reasoning: "minimal" },
      { thinking: { type: "adaptive" }, output_config: { effort: "low" } },
    ],
    ["anthropic", undefined, { reasoning: { budgetTokens: 3000 } }, { thinking: { budget_tokens: 3000 } }],
    [
      "openai",
      undefined,
      { reasoning: "high", serviceTier: "flex" },
      { reasoning: { effort: "high" }, service_tier: "flex" },
    ],
    ["openai", undefined, { serviceTier: "standard" }, { service_tier: "default" }],
    [
      "google",
      undefined,
      { reasoning: { budgetTokens: 99 }, serviceTier: "priority" },
      { serviceTier: "priority", generationConfig: { thinkingConfig: { thinkingBudget: 99, includeThoughts: true } } },
    ],
    ["google", undefined, { reasoning: "off" }, { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }],
    [
      "google",
      "gemini-3-pro",
      { reasoning: "max" },
      { generationConfig: { thinkingConfig: { thinkingLevel: "high", includeThoughts: true } } },
    ],
    ["ollama", undefined, { reasoning: "medium" }, { think: true }],
    ["openai-compatible", undefined, { reasoning: "low" }, { reasoning_effort: "low" }],
  ] as const)("reaches %s (%s) as it names it: %j", ([provider, model, wish, body]) =>
    Effect.gen(function* () {
      const { bodies } = yield* sent(provider, wish, model)
      expect(bodies).toEqual([expect.objectContaining({})])
      expect(bodies[0]).toMatchObject(body)
    }),
  )

  it.scopedLive("of the most reasoning leaves room for an answer, within each model's limits", () =>
    Effect.gen(function* () {
      for (const model of ["claude-opus-4-20250514", "claude-opus-4-1", "claude-sonnet-4-5"]) {
        const { bodies } = yield* sent("anthropic", { reasoning: "max" }, model)
        const { max_tokens, thinking } = bodies[0] as { max_tokens: number; thinking: { budget_tokens: number } }
        expect(thinking.budget_tokens).toBeGreaterThan(16_384)
        expect(max_tokens).toBeGreaterThan(thinking.budget_tokens)
      }
      for (const model of ["gemini-2.5-flash", "gemini-2.5-flash-lite", "gemini-2.5-pro"]) {
        const { bodies } = yield* sent("google", { reasoning: "max" }, model)
        expect(bodies[0]).toMatchObject({ generationConfig: { thinkingConfig: { thinkingBudget: 24_576 } } })
      }
    }),
  )

  it.scopedLive("that a fallback cannot fulfil is refused before anything is asked", () =>
    Effect.gen(function* () {
      const refused = (fallback: unknown, wish: object) => () =>
        fromModel({ model: "google/gemini-2.5-pro", fallbacks: [fallback as string], ...wish })
      const budget = { reasoning: { budgetTokens: 2_048 } }
      expect(refused("openai/gpt-5", budget)).toThrow(/fallbacks\.0.*openai/s)
      expect(refused({ model: "ollama/qwen3", on: ["refused"] }, budget)).toThrow(/fallbacks\.0.*ollama/s)
      expect(refused("anthropic/claude-sonnet-4-5", { serviceTier: "flex" })).toThrow(/serviceTier/)
      const loaded = yield* Models.load("openai/gpt-5", { apiKey: KEY })
      expect(refused(loaded, budget)).toThrow(/fallbacks\.0/)
      expect(refused("anthropic/claude-sonnet-4-5", budget)).not.toThrow()
      expect(refused("openai/gpt-5", { reasoning: "high", serviceTier: "flex" })).not.toThrow()
      expect(refused("openai/gpt-5", {})).not.toThrow()
    }),
  )

  it.scopedLive("yields to the provider's own option", () =>
    Effect.gen(function* () {
      const providerOptions = { openai: { reasoningEffort: "minimal" } }
      const { bodies } = yield* sent("openai", { reasoning: "high", providerOptions })
      expect(bodies[0]).toMatchObject({ reasoning: { effort: "minimal" }, store: false })
    }),
  )

  it.scopedLive.each([
    ["openai", { reasoning: { budgetTokens: 10 } }],
    ["openai-compatible", { reasoning: { budgetTokens: 10 } }],
    ["ollama", { reasoning: { budgetTokens: 10 } }],
    ["anthropic", { serviceTier: "flex" }],
    ["ollama", { serviceTier: "priority" }],
  ] as const)("that %s cannot fulfil fails the request before it is sent: %j", ([provider, wish]) =>
    Effect.gen(function* () {
      const { bodies, failure } = yield* sent(provider, wish)
      expect(bodies).toEqual([])
      expect(failure).toMatchObject({ kind: "invalid-request" })
      expect(failure.reason).toContain(JSON.stringify(Object.values(wish)[0]))
    }),
  )

  it.scopedLive("of an agent is recorded with its request", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel()).start
      const asked: Array<TurnRequest> = []
      const model = {
        provider: "acme",
        model: "large",
        turn: (request: TurnRequest) => {
          asked.push(request)
          return Effect.succeed({
            parts: [{ type: "text" as const, text: "Done." }],
            finish: "stop" as const,
            usage: { inputTokens: 1, outputTokens: 1 },
          })
        },
      }
      const agent = fromModel({ model, reasoning: { budgetTokens: 7 }, serviceTier: "flex" })
      const { taskId } = yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agent, { goal: "g" })))
      const wishes = { reasoning: { budgetTokens: 7 }, serviceTier: "flex" }
      expect(asked).toEqual([expect.objectContaining(wishes)])
      const called = (yield* run(eventsOf(taskId))).find(({ type }) => type === "ModelCalled")
      expect(called?.payload).toMatchObject({ request: { options: wishes } })
    }),
  )

  it.each([{ reasoning: "hard" }, { reasoning: { budgetTokens: 0 } }, { reasoning: 5 }, { serviceTier: "fast" }])(
    "that nobody knows is refused: %j",
    (wish) => {
      expect(() => fromModel({ model: "openai/gpt-5", ...(wish as object) })).toThrow(/reasoning|serviceTier/)
    },
  )
})
