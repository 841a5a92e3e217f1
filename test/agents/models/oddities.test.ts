import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Delta } from "../../../src/agents/models/Model.ts"
import { asking, modelAt, server } from "./servers.ts"

/** Servers that speak OpenAI's chat completions, each with a way of its own. Written by hand from their documentation. */
interface Oddity {
  readonly status?: number
  readonly type?: string
  /** The lines of the body; each is followed by an empty one. */
  readonly lines: ReadonlyArray<string>
}

const data = (value: object): string => `data: ${JSON.stringify(value)}`

const chunk = (delta: object, finish_reason: string | null = null, more: object = {}): string =>
  data({
    id: "c",
    object: "chat.completion.chunk",
    created: 0,
    model: "m",
    choices: [{ index: 0, delta, finish_reason }],
    ...more,
  })

const usage = { prompt_tokens: 70, completion_tokens: 9, total_tokens: 79 }

const answerOf = ({ status = 200, type = "text/event-stream", lines }: Oddity) =>
  Effect.gen(function* () {
    const url = yield* server((_request, response) => {
      response.writeHead(status, { "content-type": type })
      response.end(lines.map((line) => `${line}\n\n`).join(""))
    })
    const model = yield* modelAt(url, "openai-compatible")
    const deltas: Array<Delta> = []
    const turn = yield* Effect.either(model.turn(asking("hello"), (delta) => deltas.push(delta)))
    return { deltas, turn }
  })

/** The turn of an answer. */
const turnOf = (oddity: Oddity) => Effect.flatMap(answerOf(oddity), ({ turn }) => turn)

const failureOf = (oddity: Oddity) => Effect.flatMap(answerOf(oddity), ({ turn }) => Effect.flip(turn))

const toolCall = (more: object) => ({ tool_calls: [{ type: "function", ...more }] })

describe("a server of Groq", () => {
  it.scopedLive("says its tokens in x_groq", () =>
    Effect.gen(function* () {
      const turn = yield* turnOf({
        lines: [
          chunk({ role: "assistant", content: "Hello" }, null, { x_groq: { id: "req_1" } }),
          chunk({}, "stop", { x_groq: { id: "req_1", usage: { ...usage, queue_time: 0.01, total_time: 0.1 } } }),
          "data: [DONE]",
        ],
      })
      expect(turn).toMatchObject({ finish: "stop", usage: { inputTokens: 70, outputTokens: 9 } })
    }),
  )

  it.scopedLive("refuses a call that the model wrote wrongly with a status, which is an invalid request", () =>
    Effect.gen(function* () {
      const message = "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details."
      const error = { message, type: "invalid_request_error", code: "tool_use_failed", failed_generation: "<function" }
      const failed = yield* failureOf({ status: 400, type: "application/json", lines: [JSON.stringify({ error })] })
      expect(failed).toMatchObject({ kind: "invalid-request", reason: expect.stringContaining("Failed to call") })
    }),
  )
})

describe("a server of Mistral", () => {
  it.scopedLive("sends a whole call without type and index, and the finish with it", () =>
    Effect.gen(function* () {
      const call = { id: "D681PevKs", function: { name: "price", arguments: `{"thing": "tea"}` } }
      const turn = yield* turnOf({
        lines: [
          chunk({ role: "assistant", content: "" }),
          chunk({ content: "", tool_calls: [call] }, "tool_calls", { usage }),
          "data: [DONE]",
        ],
      })
      expect(turn).toMatchObject({
        finish: "calls",
        parts: [{ type: "call", callId: "D681PevKs", tool: "price", args: { thing: "tea" } }],
        usage: { inputTokens: 70 },
      })
    }),
  )

  it.scopedLive("sends the content of a model that reasons in pieces of two types", () =>
    Effect.gen(function* () {
      const thinking = { type: "thinking", thinking: [{ type: "text", text: "They greet me." }] }
      const turn = yield* turnOf({
        lines: [
          chunk({ role: "assistant", content: [thinking] }),
          chunk({ content: [{ type: "text", text: "Hello" }] }),
          chunk({ content: " there" }),
          chunk({}, "stop", { usage }),
          "data: [DONE]",
        ],
      })
      expect(turn.parts).toEqual([
        { type: "reasoning", text: "They greet me." },
        { type: "text", text: "Hello there" },
      ])
    }),
  )
})

describe("a server of DeepSeek", () => {
  it.scopedLive(
    "keeps the connection alive with comments, reasons in a field of its own, and counts what it cached",
    () =>
      Effect.gen(function* () {
        const turn = yield* turnOf({
          lines: [
            ": keep-alive",
            chunk({ role: "assistant", content: null, reasoning_content: "They " }),
            chunk({ content: null, reasoning_content: "greet me." }),
            ": keep-alive",
            chunk({ content: "Hello", reasoning_content: null }),
            chunk({ content: "" }, "stop", {
              usage: { ...usage, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 6 },
            }),
            "data: [DONE]",
          ],
        })
        expect(turn.parts).toEqual([
          { type: "reasoning", text: "They greet me." },
          { type: "text", text: "Hello" },
        ])
        expect(turn.usage).toMatchObject({ inputTokens: 70, cachedTokens: 64, outputTokens: 9 })
      }),
  )

  it.scopedLive("gives up in the middle of an answer, which is none then", () =>
    Effect.gen(function* () {
      const failed = yield* failureOf({
        lines: [
          chunk({ role: "assistant", content: "Half" }),
          chunk({}, "insufficient_system_resource"),
          "data: [DONE]",
        ],
      })
      expect(failed).toMatchObject({ kind: "cut-off", response: [{ type: "text", text: "Half" }] })
      expect(failed.reason).toContain("insufficient_system_resource")
    }),
  )
})

describe("a server of OpenRouter", () => {
  it.scopedLive("keeps the connection alive with comments, names the cost, and reasons in `reasoning`", () =>
    Effect.gen(function* () {
      const turn = yield* turnOf({
        lines: [
          ": OPENROUTER PROCESSING",
          chunk({ role: "assistant", content: "", reasoning: "They greet me." }, null, { provider: "Some" }),
          ": OPENROUTER PROCESSING",
          chunk({ content: "Hello" }),
          chunk({ content: "" }, "stop", {
            choices: [{ index: 0, delta: {}, finish_reason: "stop", native_finish_reason: "end_turn" }],
          }),
          data({ id: "c", choices: [], usage: { ...usage, cost: 0.0123, cost_details: {} } }),
          "data: [DONE]",
        ],
      })
      expect(turn).toMatchObject({
        finish: "stop",
        cost: 0.0123,
        parts: [
          { type: "reasoning", text: "They greet me." },
          { type: "text", text: "Hello" },
        ],
      })
    }),
  )

  it.scopedLive("says in the middle of an answer of status 200 that the provider behind it is overloaded", () =>
    Effect.gen(function* () {
      const error = { code: 502, message: "Provider disconnected unexpectedly" }
      const failed = yield* failureOf({
        lines: [
          chunk({ role: "assistant", content: "Half" }),
          data({ id: "c", error, choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }] }),
          "data: [DONE]",
        ],
      })
      expect(failed).toMatchObject({ kind: "overloaded", response: [{ type: "text", text: "Half" }] })
      expect(failed.reason).toContain("Provider disconnected")
    }),
  )
})

describe("a server of vLLM", () => {
  it.scopedLive("names a call once, sends its arguments in pieces, and says stop for a tool that was chosen", () =>
    Effect.gen(function* () {
      const turn = yield* turnOf({
        lines: [
          chunk({ role: "assistant", content: "" }),
          chunk(toolCall({ index: 0, id: "chatcmpl-tool-1", function: { name: "price" } })),
          chunk({ tool_calls: [{ index: 0, function: { arguments: `{"thing":` } }] }),
          chunk({ tool_calls: [{ index: 0, function: { arguments: ` "tea"}` } }] }),
          chunk({ content: "" }, "stop", { stop_reason: null }),
          data({ id: "c", choices: [], usage }),
          "data: [DONE]",
        ],
      })
      expect(turn).toMatchObject({
        finish: "calls",
        parts: [{ type: "call", callId: "chatcmpl-tool-1", tool: "price", args: { thing: "tea" } }],
        usage: { inputTokens: 70, outputTokens: 9 },
      })
    }),
  )

  it.scopedLive("has errors of its own shape", () =>
    Effect.gen(function* () {
      const message = "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens."
      const error = { object: "error", message, type: "BadRequestError", param: null, code: 400 }
      const failed = yield* failureOf({ status: 400, type: "application/json", lines: [JSON.stringify(error)] })
      expect(failed).toMatchObject({ kind: "context-too-long", reason: expect.stringContaining("4096 tokens") })
    }),
  )
})

describe("a server of LM Studio", () => {
  it.scopedLive("sends an error as an event of the stream, as text", () =>
    Effect.gen(function* () {
      const error = "The model has crashed without additional information. (Exit code: 6)"
      const failed = yield* failureOf({ lines: [`event: error\n${data({ error })}`] })
      expect(failed).toMatchObject({ kind: "cut-off", reason: error })
    }),
  )

  it.scopedLive("sends calls whose arguments are empty for a tool without any", () =>
    Effect.gen(function* () {
      const turn = yield* turnOf({
        lines: [
          chunk({
            role: "assistant",
            ...toolCall({ index: 0, id: "365174485", function: { name: "look", arguments: "" } }),
          }),
          chunk({}, "tool_calls"),
          data({ id: "c", choices: [], usage }),
          "data: [DONE]",
        ],
      })
      expect(turn).toMatchObject({ finish: "calls", parts: [{ callId: "365174485", tool: "look", args: {} }] })
    }),
  )
})
