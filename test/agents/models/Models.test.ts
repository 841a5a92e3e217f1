import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { createAnthropic } from "@ai-sdk/anthropic"
import { createGoogleGenerativeAI } from "@ai-sdk/google"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { it } from "@effect/vitest"
import { calcPrice } from "@pydantic/genai-prices"
import { Effect, Redacted } from "effect"
import { createOllama } from "ollama-ai-provider-v2"
import { afterEach, beforeEach, describe, expect, vi } from "vitest"
import * as Models from "../../../src/agents/models/Models.ts"
import * as Provider from "../../../src/agents/models/providers/Provider.ts"
import { costOf } from "../../../src/kernel/pricing/Prices.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { outside, wrongIn } from "../../wrongOptions.ts"
import { printed } from "./printed.ts"
import { KEY } from "./servers.ts"

const refused = (name: string, options?: Models.ModelOptions) => Effect.flip(Models.load(name, options))

beforeEach(() => {
  for (const { keyVariable, baseURLVariable } of Provider.providers) {
    for (const variable of [keyVariable, baseURLVariable]) {
      if (variable !== undefined) vi.stubEnv(variable, undefined)
    }
  }
})
afterEach(() => {
  vi.unstubAllEnvs()
})

describe("a model", () => {
  it.effect("has the names of its provider and itself, and nothing that prints its key", () =>
    Effect.gen(function* () {
      const options = { apiKey: Redacted.make(KEY), headers: { "x-tenant": "tenant-8842-secret" } }
      const model = yield* Models.load("anthropic/claude-sonnet-4-5", options)
      expect(model).toMatchObject({ provider: "anthropic", model: "claude-sonnet-4-5" })
      expect(printed(model)).not.toContain(KEY)
      expect(printed(model)).not.toContain("tenant-8842-secret")
    }),
  )

  it.effect("may have slashes in its name", () =>
    Effect.gen(function* () {
      const model = yield* Models.load("openai-compatible/meta/llama-4", { baseURL: "http://127.0.0.1:1/v1" })
      expect(model.model).toBe("meta/llama-4")
    }),
  )

  it.effect("takes its key and its server from the environment", () =>
    Effect.gen(function* () {
      vi.stubEnv("OPENAI_API_KEY", `${KEY}\n`)
      vi.stubEnv("OPENAI_COMPATIBLE_BASE_URL", "http://127.0.0.1:1/v1")
      const keys: Array<string | null> = []
      const fetch: typeof globalThis.fetch = async (_input, init) => {
        keys.push(new Headers(init?.headers).get("authorization"))
        return new Response("", { status: 500 })
      }
      const model = yield* Models.load("openai/gpt-5", { fetch })
      yield* Effect.flip(model.turn({ system: "", messages: [], tools: [] }, () => {}))
      expect(keys).toEqual([`Bearer ${KEY}`])
      yield* Models.load("openai-compatible/qwen3")
    }),
  )

  it.effect("of an unknown provider is refused, with the known ones", () =>
    Effect.gen(function* () {
      const error = yield* refused("antropic/claude")
      expect(error.message).toBe(
        'Expected a model as provider/model, with one of the providers anthropic, openai, google, ollama, openai-compatible; found "antropic/claude". Did you mean anthropic?',
      )
      for (const name of ["", "anthropic", "anthropic/", "/", "claude-sonnet-4-5"]) {
        expect((yield* refused(name))._tag).toBe("UnknownProvider")
      }
    }),
  )

  it.effect.each([
    ["anthropic/x", "ANTHROPIC_API_KEY"],
    ["openai/x", "OPENAI_API_KEY"],
    ["google/x", "GOOGLE_GENERATIVE_AI_API_KEY"],
  ] as const)("%s without a key is refused, with the variable that would hold it", ([name, variable]) =>
    Effect.gen(function* () {
      expect((yield* refused(name)).message).toContain(`the environment variable ${variable}`)
      vi.stubEnv(variable, "two words")
      const error = yield* refused(name)
      expect(error._tag).toBe("KeyMissing")
      expect(printed(error)).not.toContain("two words")
    }),
  )

  it.effect("with options that are wrong is refused, all of them at once and no secret shown", () =>
    Effect.gen(function* () {
      const options = { apikey: KEY, baseURL: 3, timeoutMs: 0, fetch: "no", headers: { "bad name": KEY } }
      expect(yield* wrongIn(Models.load("openai/gpt-5", outside(options)))).toEqual(
        expect.arrayContaining(["apikey: apiKey?", "baseURL", "timeoutMs", "fetch", "headers"]),
      )
      expect(printed(yield* refused("openai/gpt-5", outside(options)))).not.toContain(KEY)
      for (const apiKey of ["", "a\nb", `${KEY} ü`]) {
        const error = yield* refused("openai/gpt-5", { apiKey })
        expect(error._tag).toBe("InvalidOptions")
        expect(printed(error)).not.toContain(KEY)
      }
    }),
  )

  it.effect.each([
    ["nowhere"],
    ["ftp://host/v1"],
    ["https://me:secret-pass@host/v1"],
    ["https://host/v1?key=secret-pass"],
  ] as const)("with the server %s is refused", ([baseURL]) =>
    Effect.gen(function* () {
      expect(yield* wrongIn(Models.load("openai-compatible/x", { baseURL }))).toEqual(["baseURL"])
      expect(printed(yield* refused("openai-compatible/x", { baseURL }))).not.toContain("secret-pass")
    }),
  )

  it.effect("of a compatible server without its URL is refused", () =>
    Effect.gen(function* () {
      const error = yield* refused("openai-compatible/x")
      expect(error.message).toContain("OPENAI_COMPATIBLE_BASE_URL")
    }),
  )
})

describe("a provider's package", () => {
  const settings = { apiKey: KEY, baseURL: "http://127.0.0.1:1/v1", headers: {}, fetch: globalThis.fetch }
  const loaded = (provider: Provider.Provider, directory: string) =>
    Provider.languageModel(provider, "m", settings, [createRequire(path.join(directory, path.sep))])

  it.scopedLive.each(Provider.providers.map((provider) => [provider.name, provider] as const))(
    "of %s that is not installed is named with its major version",
    ([, provider]) =>
      Effect.gen(function* () {
        const missing = yield* Effect.flip(loaded(provider, yield* temporaryDirectory))
        expect(missing._tag).toBe("ProviderMissing")
        expect(missing.message).toMatch(new RegExp(`Run: npm install ${provider.package}@${provider.major}$`))
      }),
  )

  it.scopedLive("of another major version is refused", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const folder = path.join(directory, "node_modules", "@ai-sdk", "anthropic")
      fs.mkdirSync(folder, { recursive: true })
      fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify({ version: "4.0.1", main: "index.js" }))
      fs.writeFileSync(path.join(folder, "index.js"), "throw new Error('loaded')")
      const [anthropic] = Provider.providers
      if (anthropic === undefined) throw new Error("no provider")
      const missing = yield* Effect.flip(loaded(anthropic, directory))
      expect(missing.message).toContain("which is installed as 4.0.1. Run: npm install @ai-sdk/anthropic@3")
    }),
  )

  it("has the function by which its models are made", () => {
    const made = [createAnthropic, createOpenAI, createGoogleGenerativeAI, createOllama, createOpenAICompatible]
    expect(made.map(({ name }) => name)).toEqual(Provider.providers.map(({ factory }) => factory))
  })
})

describe("the cost of an answer", () => {
  const usage = { inputTokens: 1_000_000, outputTokens: 1000, cacheWriteTokens: 0 }

  it.effect("is that of the table, whose version is beside it; what was cached costs less", () =>
    Effect.gen(function* () {
      const whole = yield* costOf("anthropic", "claude-sonnet-4-5", usage)
      const cached = yield* costOf("anthropic", "claude-sonnet-4-5", { ...usage, cachedTokens: 900_000 })
      expect(whole?.prices).toBe("genai-prices@0.1.8")
      const counted = { input_tokens: 1_000_000, output_tokens: 1000 }
      const priced = calcPrice(counted, "claude-sonnet-4-5", { providerId: "anthropic" })
      expect(whole?.usd).toBe(priced?.total_price)
      expect(cached?.usd).toBeLessThan(whole?.usd ?? 0)
    }),
  )

  it.scopedLive("is null where there is no price, or no table", () =>
    Effect.gen(function* () {
      expect(yield* costOf("openai", "no-such-model", usage)).toBeNull()
      expect(yield* costOf("ollama", "llama3.2", usage)).toBeNull()
      expect(yield* costOf("openai-compatible", "gpt-5", usage)).toBeNull()
      const place = createRequire(path.join(yield* temporaryDirectory, path.sep))
      expect(yield* costOf("anthropic", "claude-sonnet-4-5", usage, [place])).toBeNull()
    }),
  )
})
