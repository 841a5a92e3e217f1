import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { LLMock } from "@copilotkit/aimock"
import { Effect } from "effect"
import type { TurnRequest } from "../../../src/agents/models/Model.ts"
import * as Models from "../../../src/agents/models/Models.ts"

/** A key that is found wherever it should not be. */
export const KEY = "sk-test-4f9b1c7d2e8a6053"

/** Where each provider's interface is on a server, and a model of the provider. */
export const providers = {
  anthropic: { path: "/v1", model: "claude-sonnet-4-5" },
  openai: { path: "/v1", model: "gpt-5" },
  google: { path: "/v1beta", model: "gemini-2.5-pro" },
  ollama: { path: "/api", model: "llama3.2" },
  "openai-compatible": { path: "/v1", model: "qwen3" },
} as const

export type ProviderName = keyof typeof providers

export const names: ReadonlyArray<ProviderName> = [
  ...(["anthropic", "openai", "google", "ollama", "openai-compatible"] as const),
]

/** The model of a provider on a server. */
export const modelAt = (url: string, name: ProviderName, options: Models.ModelOptions = {}) =>
  Models.load(`${name}/${providers[name].model}`, { baseURL: url + providers[name].path, apiKey: KEY, ...options })

/** Fake of all providers, over HTTP, that goes with the scope. */
export const mockServer = Effect.acquireRelease(
  Effect.promise(() => LLMock.create({ port: 0, chunkSize: 8, latency: 0, logLevel: "silent" })),
  (mock) => Effect.promise(() => mock.stop()),
)

/** A server of the test's own that goes with the scope: its URL. */
export const server = (listener: http.RequestListener) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(
        () =>
          new Promise<http.Server>((resolve) => {
            const made = http.createServer(listener).listen(0, "127.0.0.1", () => resolve(made))
          }),
      ),
      (made) =>
        Effect.promise(
          () =>
            new Promise<void>((resolve) => {
              made.close(() => resolve())
              made.closeAllConnections()
            }),
        ),
    ),
    (made) => `http://127.0.0.1:${(made.address() as AddressInfo).port}`,
  )

/** A request with one message and the tools of a shop. */
export const asking = (text: string, more: Partial<TurnRequest> = {}): TurnRequest => ({
  system: "You are terse.",
  messages: [{ role: "user", content: [{ type: "text", text }] }],
  tools: [
    {
      name: "price",
      description: "The price of a thing",
      args: {
        type: "object",
        properties: { thing: { type: "string" } },
        required: ["thing"],
        additionalProperties: false,
      },
    },
  ],
  ...more,
})
