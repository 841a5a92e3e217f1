import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Message } from "../../../src/agents/models/Message.ts"
import { asking, mockServer, modelAt, names, type ProviderName, server } from "./servers.ts"

/** A red dot (PNG). */
const DOT =
  "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg=="

/** A conversation with a file, a call whose arguments were no JSON, and results that are errors. */
const conversation: ReadonlyArray<Message> = [
  {
    role: "user",
    content: [
      { type: "text", text: "What is this?" },
      { type: "file", mediaType: "image/png", data: DOT },
    ],
  },
  {
    role: "assistant",
    content: [
      { type: "text", text: "I ask." },
      { type: "call", callId: "a1", tool: "price", args: { thing: "dot" } },
      { type: "call", callId: "a2", tool: "price", args: "{thing: dot}", invalid: true },
    ],
  },
  {
    role: "tool",
    content: [
      { callId: "a1", tool: "price", isError: false, content: { euros: 3 } },
      { callId: "a2", tool: "price", isError: true, content: "These arguments are no JSON" },
    ],
  },
]

/** The bodies that a server received; it answers with nothing. */
const received = (name: ProviderName, messages: ReadonlyArray<Message>) =>
  Effect.gen(function* () {
    const bodies: Array<string> = []
    const url = yield* server((request, response) => {
      let body = ""
      request.on("data", (chunk) => {
        body += chunk
      })
      request.on("end", () => {
        bodies.push(body)
        response.writeHead(500).end()
      })
    })
    const model = yield* modelAt(url, name)
    yield* Effect.flip(model.turn(asking("", { messages, temperature: 0.5, maxOutputTokens: 99 }), () => {}))
    return bodies[0] ?? ""
  })

describe.each(names)("a request to %s", (name) => {
  it.scopedLive("holds the system prompt, images, calls, results and errors", () =>
    Effect.gen(function* () {
      const body = yield* received(name, conversation)
      expect(body).toContain("You are terse.")
      expect(body).toContain(DOT)
      expect(body).toMatch(/euros\\?":3/)
      expect(body).toContain("These arguments are no JSON")
      expect(body).toContain('"required":["thing"]')
      expect(body).toContain("99")
      // A call with text for arguments would be refused: they go back inside of an object.
      expect(body).toMatch(/arguments\\?":\s?\\?"\{thing: dot\}/)
    }),
  )

  it.scopedLive("gets an answer after the results of tools", () =>
    Effect.gen(function* () {
      const mock = yield* mockServer
      mock.on({ hasToolResult: true }, { content: "Three euros." })
      const model = yield* modelAt(mock.url, name)
      const { parts } = yield* model.turn(asking("", { messages: conversation }), () => {})
      expect(parts.at(-1)).toMatchObject({ type: "text", text: "Three euros." })
    }),
  )
})

describe("what a provider wants back", () => {
  it.scopedLive("goes back: the signature of Anthropic's reasoning", () =>
    Effect.gen(function* () {
      const mock = yield* mockServer
      const toolCalls = [{ name: "price", arguments: "{}" }]
      mock.onMessage("think", { toolCalls, reasoning: "It may be tea.", reasoningSignature: "SIGNED-7f3a" })
      const model = yield* modelAt(mock.url, "anthropic")
      const request = asking("think")
      const { parts } = yield* model.turn(request, () => {})
      expect(parts[0]).toMatchObject({ type: "reasoning", text: "It may be tea." })
      const body = yield* received("anthropic", [...request.messages, { role: "assistant", content: parts }])
      expect(body).toContain("SIGNED-7f3a")
      expect(body).toContain("It may be tea.")
    }),
  )

  it.scopedLive("goes back: OpenAI's encrypted reasoning, and nothing is stored there", () =>
    Effect.gen(function* () {
      const mock = yield* mockServer
      mock.onMessage("think", { content: "Tea." })
      const model = yield* modelAt(mock.url, "openai")
      const request = asking("think")
      const { parts } = yield* model.turn(request, () => {})
      const encrypted = JSON.stringify(parts).match(/"reasoningEncryptedContent":"([^"]+)"/)?.[1] ?? "none came"
      const body = yield* received("openai", [...request.messages, { role: "assistant", content: parts }])
      expect(body).toContain(encrypted)
      expect(JSON.parse(body)).toMatchObject({ store: false })
      expect(body).not.toContain("item_reference")
    }),
  )

  it.scopedLive("goes back: the signature of a thought of Gemini", () =>
    Effect.gen(function* () {
      const call = { functionCall: { name: "price", args: { thing: "tea" } }, thoughtSignature: "THOUGHT-91c2" }
      const url = yield* server((_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" })
        const candidates = [{ content: { role: "model", parts: [call] }, finishReason: "STOP" }]
        response.end(`data: ${JSON.stringify({ candidates })}\n\n`)
      })
      const model = yield* modelAt(url, "google")
      const request = asking("think")
      const { parts } = yield* model.turn(request, () => {})
      const body = yield* received("google", [...request.messages, { role: "assistant", content: parts }])
      expect(body).toContain("THOUGHT-91c2")
    }),
  )

  it.scopedLive("does not go to another provider", () =>
    Effect.gen(function* () {
      const metadata = { anthropic: { signature: "SIGNED-7f3a" } }
      const body = yield* received("openai-compatible", [
        { role: "user", content: [{ type: "text", text: "think" }] },
        { role: "assistant", content: [{ type: "text", text: "Tea.", providerMetadata: metadata }] },
      ])
      expect(body).toContain("Tea.")
      expect(body).not.toContain("SIGNED-7f3a")
    }),
  )
})
