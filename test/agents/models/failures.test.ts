import type * as http from "node:http"
import { it } from "@effect/vitest"
import { Deferred, Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import type { TurnRequest } from "../../../src/agents/models/Model.ts"
import { LONGEST_ANSWER } from "../../../src/agents/models/providers/AnswerLimit.ts"
import { ModelUsage } from "../../../src/events/vocabulary/Deciding.ts"
import { asking, KEY, mockServer, modelAt, type ProviderName, server } from "./servers.ts"

const failing = (url: string, name: ProviderName, request: TurnRequest = asking("hello")) =>
  Effect.flatMap(modelAt(url, name), (model) => Effect.flip(model.turn(request, () => {})))

/** What each provider calls an error. */
const errorBody = (message: string, type = "invalid_request_error", code?: string) =>
  JSON.stringify({ type: "error", error: { message, type, code, status: type.toUpperCase() } })

const answering = (status: number, body: string, headers: http.OutgoingHttpHeaders = {}) =>
  server((_request, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers })
    response.end(body)
  })

describe("an answer", () => {
  it.scopedLive.each([
    ["anthropic", "refusal"],
    ["openai-compatible", "content_filter"],
    ["google", "content_filter"],
  ] as const)("of %s that was refused (%s) fails as refused", ([name, finishReason]) =>
    Effect.gen(function* () {
      const mock = yield* mockServer
      mock.onMessage("hello", { content: "I cannot", finishReason })
      const failed = yield* failing(mock.url, name)
      expect(failed).toMatchObject({ kind: "refused", response: [{ type: "text", text: "I cannot" }] })
    }),
  )

  it.scopedLive("of a compatible server with a refusal beside the text fails as refused", () =>
    Effect.gen(function* () {
      const url = yield* events(
        `{"choices":[{"index":0,"delta":{"role":"assistant","refusal":"I will not "}}]}`,
        `{"choices":[{"index":0,"delta":{"refusal":"help."},"finish_reason":"stop"}]}`,
        "[DONE]",
      )
      const failed = yield* failing(url, "openai-compatible")
      expect(failed).toMatchObject({ kind: "refused", reason: "The model refused: I will not help." })
    }),
  )

  it.scopedLive("that reached its limit has no calls", () =>
    Effect.gen(function* () {
      const mock = yield* mockServer
      const toolCalls = [{ name: "price", arguments: `{"thing":"tea"}` }]
      mock.onMessage("hello", { content: "Let me see", toolCalls, finishReason: "length" })
      const model = yield* modelAt(mock.url, "openai-compatible")
      const turn = yield* model.turn(asking("hello"), () => {})
      expect(turn).toMatchObject({ finish: "length", parts: [{ type: "text", text: "Let me see" }] })
    }),
  )

  it.scopedLive("that reached its limit before any text is an invalid request, which is not made again", () =>
    Effect.gen(function* () {
      const mock = yield* mockServer
      mock.onMessage("hello", { toolCalls: [{ name: "price", arguments: "{}" }], finishReason: "length" })
      const failed = yield* failing(mock.url, "openai-compatible", asking("hello", { maxOutputTokens: 9 }))
      expect(failed).toMatchObject({ kind: "invalid-request", reason: expect.stringContaining("9 tokens") })
    }),
  )

  it.scopedLive("keeps arguments that are no JSON as text", () =>
    Effect.gen(function* () {
      const call = `{"index":0,"id":"c1","type":"function","function":{"name":"price","arguments":"{\\"thing\\": tea}"}}`
      const url = yield* events(
        `{"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[${call}]}}]}`,
        `{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
        "[DONE]",
      )
      const model = yield* modelAt(url, "openai-compatible")
      const { parts, finish } = yield* model.turn(asking("hello"), () => {})
      expect(finish).toBe("calls")
      expect(parts).toEqual([{ type: "call", callId: "c1", tool: "price", args: `{"thing": tea}`, invalid: true }])
    }),
  )

  it.scopedLive("gives two calls with one id two ids", () =>
    Effect.gen(function* () {
      const call = (index: number) =>
        `{"index":${index},"id":"same","type":"function","function":{"name":"price","arguments":"{\\"n\\":${index}}"}}`
      const url = yield* events(
        `{"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[${call(0)},${call(1)}]}}]}`,
        `{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
        "[DONE]",
      )
      const model = yield* modelAt(url, "openai-compatible")
      const { parts } = yield* model.turn(asking("hello"), () => {})
      expect(parts).toMatchObject([{ args: { n: 0 } }, { args: { n: 1 } }])
      expect(new Set(parts.map((part) => (part.type === "call" ? part.callId : ""))).size).toBe(2)
    }),
  )

  it.scopedLive("with an error in its stream fails as what the error is, with what had come", () =>
    Effect.gen(function* () {
      const url = yield* events(
        `{"type":"message_start","message":{"id":"m","model":"c","role":"assistant","content":[],"usage":{"input_tokens":40,"output_tokens":1}}}`,
        `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
        `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Half a"}}`,
        `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
      )
      expect(yield* failing(url, "anthropic")).toMatchObject({
        kind: "overloaded",
        response: [{ type: "text", text: "Half a" }],
        usage: { inputTokens: 40, outputTokens: 1 },
      })
    }),
  )

  it.scopedLive("that repeats the key does not hold it", () =>
    Effect.gen(function* () {
      const mock = yield* mockServer
      mock.onMessage("hello", { content: `Your key is ${KEY}, is it not? Or is it sk-test` })
      const model = yield* modelAt(mock.url, "openai-compatible")
      const told: Array<string> = []
      const turn = yield* model.turn(asking("hello"), ({ text }) => told.push(text))
      const redacted = "Your key is [redacted], is it not? Or is it sk-test"
      expect(turn.parts).toEqual([{ type: "text", text: redacted }])
      // The server sends 8 characters at a time: no piece has the whole key.
      expect(told.length).toBeGreaterThan(3)
      expect(told.join("")).toBe(redacted)
    }),
  )

  it.scopedLive("of a server that falls silent fails as timed-out", () =>
    Effect.gen(function* () {
      const url = yield* server((_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.flushHeaders()
      })
      const model = yield* modelAt(url, "openai-compatible", { timeoutMs: 20 })
      const failed = yield* Effect.flip(model.turn(asking("hello"), () => {}))
      expect(failed).toMatchObject({ kind: "timed-out", reason: "The server sent nothing for 20 ms" })
    }),
  )
})

describe("an answer of Ollama", () => {
  const line = (content: unknown, done = false) =>
    JSON.stringify({ model: "m", created_at: "2026-01-01T00:00:00Z", message: { role: "assistant", content }, done })

  it.scopedLive.each([
    ["no JSON", `{"model":"m","mess`],
    ["no piece of an answer", line(5)],
  ] as const)("with a line that is %s is no turn without it", ([, broken]) =>
    Effect.gen(function* () {
      const url = yield* answering(200, [line("a"), broken, line("c"), line("", true), ""].join("\n"))
      const failed = yield* failing(url, "ollama")
      expect(failed).toMatchObject({ kind: "unreadable", reason: expect.stringContaining("found ") })
    }),
  )

  it.scopedLive("with an error in it fails as what the error says", () =>
    Effect.gen(function* () {
      const url = yield* answering(200, [line("a"), `{"error":"the model is overloaded"}`, ""].join("\n"))
      expect(yield* failing(url, "ollama")).toMatchObject({ kind: "overloaded", reason: "the model is overloaded" })
    }),
  )
})

describe("a status that is none", () => {
  it.scopedLive("is an error of the server", () =>
    Effect.gen(function* () {
      const url = yield* answering(999, errorBody("Request denied", "x"))
      const failed = yield* failing(url, "openai-compatible")
      expect(failed).toMatchObject({ kind: "overloaded", reason: expect.stringContaining("Request denied") })
    }),
  )
})

describe("a server that does not come to an end", () => {
  const piece = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`
  const LONG = "x".repeat(64 * 1024)

  it.scopedLive(
    "is cut off where the answer is longer than any: what had come is kept, and the connection closed",
    () =>
      Effect.gen(function* () {
        const closed = yield* Deferred.make<void>()
        const url = yield* endless(200, () => piece(LONG), closed)
        const failed = yield* failing(url, "openai-compatible")
        expect(failed).toMatchObject({ kind: "invalid-request", reason: expect.stringContaining("maxOutputTokens") })
        expect(JSON.stringify(failed.response).length).toBeGreaterThan(LONGEST_ANSWER)
        yield* Deferred.await(closed)
      }),
  )

  it.scopedLive.each([
    ["a line", 200, LONG],
    ["a page of an error", 404, `${LONG}\n`],
  ] as const)("is cut off where it is %s that is larger than any", ([, status, sent]) =>
    Effect.gen(function* () {
      const closed = yield* Deferred.make<void>()
      const url = yield* endless(status, () => sent, closed)
      const failed = yield* failing(url, "openai-compatible")
      expect(failed).toMatchObject({ kind: "invalid-request", reason: expect.stringContaining("too long") })
      yield* Deferred.await(closed)
    }),
  )

  it.scopedLive("may say any number of tokens: what is no number of tokens is not recorded", () =>
    Effect.gen(function* () {
      const url = yield* events(
        `{"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":"stop"}]}`,
        `{"choices":[],"usage":{"prompt_tokens":-5,"completion_tokens":1e300}}`,
        "[DONE]",
      )
      const model = yield* modelAt(url, "openai-compatible")
      const { usage } = yield* model.turn(asking("hello"), () => {})
      expect(Schema.is(ModelUsage)(usage)).toBe(true)
    }),
  )
})

/** A server that sends pieces until the connection is closed. */
const endless = (status: number, piece: () => string, closed: Deferred.Deferred<void>) =>
  server((_request, response) => {
    let isOpen = true
    response.on("close", () => {
      isOpen = false
      Effect.runSync(Deferred.succeed(closed, undefined))
    })
    response.writeHead(status, { "content-type": status === 200 ? "text/event-stream" : "text/html" })
    const send = () => {
      while (isOpen && response.write(piece()));
      if (isOpen) response.once("drain", send)
    }
    send()
  })

/** A server that answers with these server-sent events. */
const events = (...sent: ReadonlyArray<string>) =>
  server((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.end(sent.map((event) => `data: ${event}\n\n`).join(""))
  })
