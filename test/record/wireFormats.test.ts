import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { bytesOf, pieceOf } from "../../src/agents/models/Cassette.ts"
import { type Answered, answeredBy, askedBy, type Came } from "../../src/providers/WireFormats.ts"
import { written } from "../../src/providers/WrittenAnswer.ts"
import { joined } from "../../src/record/http/HttpMessage.ts"
import type { Json } from "../../src/values/Json.ts"

/** Bodies as the providers' pages show them, written down by hand. */
const sse = (...events: ReadonlyArray<Json>) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")
const named = (...events: ReadonlyArray<{ readonly type: string; readonly [field: string]: Json }>) =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("")

const CHAT = `${sse(
  { choices: [{ index: 0, delta: { role: "assistant", reasoning_content: "Tea is " } }] },
  { choices: [{ index: 0, delta: { reasoning_content: "asked for." } }] },
  { choices: [{ index: 0, delta: { content: "I lo" } }] },
  { choices: [{ index: 0, delta: { content: "ok – 茶." } }] },
  {
    choices: [
      { index: 0, delta: { tool_calls: [{ index: 0, id: "call_a", function: { name: "price", arguments: "" } }] } },
    ],
  },
  { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{"thing":' } }] } }] },
  {
    choices: [
      { index: 0, delta: { tool_calls: [{ index: 1, id: "call_b", function: { name: "price", arguments: "{bad" } }] } },
    ],
  },
  { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '"tea"}' } }] } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
  {
    choices: [],
    usage: {
      prompt_tokens: 20,
      completion_tokens: 9,
      prompt_tokens_details: { cached_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 4 },
    },
  },
)}data: [DONE]\n\n`

const RESPONSES = named(
  { type: "response.created", response: { object: "response", status: "in_progress", output: [] } },
  { type: "response.output_item.added", output_index: 0, item: { type: "reasoning", id: "rs_1", summary: [] } },
  { type: "response.reasoning_summary_text.delta", output_index: 0, delta: "Tea is asked for." },
  { type: "response.output_item.added", output_index: 1, item: { type: "message", content: [] } },
  { type: "response.output_text.delta", output_index: 1, delta: "I look – " },
  { type: "response.output_text.delta", output_index: 1, delta: "茶." },
  {
    type: "response.completed",
    response: {
      object: "response",
      status: "completed",
      output: [
        { type: "reasoning", summary: [{ type: "summary_text", text: "Tea is asked for." }] },
        { type: "message", content: [{ type: "output_text", text: "I look – 茶." }] },
        { type: "function_call", call_id: "call_a", name: "price", arguments: '{"thing":"tea"}' },
      ],
      usage: {
        input_tokens: 20,
        output_tokens: 9,
        input_tokens_details: { cached_tokens: 8 },
        output_tokens_details: { reasoning_tokens: 4 },
      },
    },
  },
)

const ANTHROPIC = named(
  {
    type: "message_start",
    message: {
      usage: { input_tokens: 10, cache_read_input_tokens: 8, cache_creation_input_tokens: 2, output_tokens: 1 },
    },
  },
  { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Tea is asked for." } },
  { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "c2ln" } },
  { type: "content_block_stop", index: 0 },
  { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
  { type: "ping" },
  { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "I look – 茶." } },
  {
    type: "content_block_start",
    index: 2,
    content_block: { type: "tool_use", id: "toolu_a", name: "price", input: {} },
  },
  { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '{"thing":"t' } },
  { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: 'ea"}' } },
  { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } },
  { type: "message_stop" },
)

const GEMINI_PIECES: ReadonlyArray<Json> = [
  { candidates: [{ content: { parts: [{ text: "Tea is asked for.", thought: true }] } }] },
  { candidates: [{ content: { parts: [{ text: "I look " }] } }] },
  {
    candidates: [
      {
        content: {
          parts: [{ text: "– 茶." }, { functionCall: { id: "call_a", name: "price", args: { thing: "tea" } } }],
        },
        finishReason: "STOP",
      },
    ],
    usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 5, thoughtsTokenCount: 4, cachedContentTokenCount: 8 },
  },
]

const OLLAMA = [
  { message: { role: "assistant", content: "", thinking: "Tea is asked for." }, done: false },
  { message: { content: "I look – 茶." }, done: false },
  { message: { content: "", tool_calls: [{ function: { name: "price", arguments: { thing: "tea" } } }] }, done: false },
  { done: true, done_reason: "stop", prompt_eval_count: 20, eval_count: 9 },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join("")

const user = { role: "user", content: "The price of tea?" }

const cases = {
  "openai-chat": { path: "/v1/chat/completions", body: { model: "m", messages: [user] }, came: CHAT },
  "openai-responses": { path: "/v1/responses", body: { model: "m", input: [user] }, came: RESPONSES },
  anthropic: { path: "/v1/messages", body: { model: "m", max_tokens: 9, messages: [user] }, came: ANTHROPIC },
  "gemini as events": {
    path: "/v1beta/models/m:streamGenerateContent",
    came: sse(...GEMINI_PIECES),
    body: { contents: [{ role: "user", parts: [{ text: "The price of tea?" }] }] },
  },
  "gemini as a list": {
    path: "/v1beta/models/m:streamGenerateContent",
    came: JSON.stringify(GEMINI_PIECES, null, 1),
    body: { contents: [{ role: "user", parts: [{ text: "The price of tea?" }] }] },
  },
  ollama: { path: "/api/chat", body: { model: "m", messages: [user] }, came: OLLAMA },
} as const

type Name = keyof typeof cases

const names = Object.keys(cases) as ReadonlyArray<Name>

const answered = (name: Name, body: string, came: Partial<Came> = {}): Answered => {
  const asked = askedBy("POST", { host: "localhost", path: cases[name].path }, cases[name].body as unknown as Json)
  if (asked === undefined) throw new Error(`${name}: expected a known format`)
  return answeredBy(asked, { status: 200, headers: {}, end: "clean", ...came, body }, (text) => text, 0)
}

describe.each(names)("an answer as %s", (name) => {
  it("is read as a turn: what was thought, said and called, and the tokens", () => {
    const turn = answered(name, cases[name].came)
    const hasDetails = name !== "ollama"
    expect(turn).toMatchObject({
      turn: {
        finish: "calls",
        usage: {
          inputTokens: 20,
          outputTokens: 9,
          ...(hasDetails ? { cachedTokens: 8 } : {}),
          ...(hasDetails && name !== "anthropic" ? { reasoningTokens: 4 } : {}),
        },
      },
    })
    const parts = "turn" in turn ? turn.turn.parts : []
    const told = parts.map((part) => {
      if (part.type === "call") return [part.tool, part.args]
      return part.type === "text" || part.type === "reasoning" ? [part.type, part.text] : part
    })
    expect(told).toEqual([
      ["reasoning", "Tea is asked for."],
      ["text", "I look – 茶."],
      ["price", { thing: "tea" }],
      // Arguments that are no JSON stay as the model wrote them.
      ...(name === "openai-chat" ? [["price", "{bad"]] : []),
    ])
  })

  it("is the same turn in whatever pieces it comes", () => {
    const bytes = new TextEncoder().encode(cases[name].came)
    const whole = answered(name, cases[name].came)
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
        const chunks = places.slice(1).map((to, index) => pieceOf(index, bytes.slice(places[index], to)))
        expect(chunks.reduce((length, chunk) => length + bytesOf(chunk).byteLength, 0)).toBe(bytes.length)
        expect(answered(name, Buffer.from(joined(chunks)).toString("utf8"))).toEqual(whole)
      }),
      { numRuns: 50 },
    )
  })

  it("is no turn where it was cut, wherever that was, and never throws", () => {
    const { came } = cases[name]
    const whole = answered(name, came)
    fc.assert(
      fc.property(fc.nat(came.length - 1), (length) => {
        const part = answered(name, came.slice(0, length), { end: "cut" })
        if ("turn" in part)
          expect({ ...part.turn, usage: 0 }).toEqual({ ...("turn" in whole ? whole.turn : {}), usage: 0 })
        else expect(["cut-off", "unreadable"]).toContain(part.failure.kind)
      }),
      { numRuns: 200 },
    )
  })

  it("may be anything: no body lets the reading throw", () => {
    const anything = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((json) => `data: ${json}\n\n`),
    )
    fc.assert(
      fc.property(anything, (body) => {
        expect(answered(name, body)).toBeTypeOf("object")
      }),
    )
  })
})

describe("a request", () => {
  it("of a known format is read whatever its messages are", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(...names), (value, name) => {
        const { path, body } = cases[name]
        const inside = Object.fromEntries(
          Object.entries(body).map(([key, was]) => [
            key,
            Array.isArray(was) ? [value, { role: "assistant", content: value, parts: value }] : was,
          ]),
        )
        expect(askedBy("POST", { host: "localhost", path }, inside as Json)?.request.messages).toBeInstanceOf(Array)
      }),
    )
  })

  it("with calls and results is read as messages of an agent's own", () => {
    const asked = askedBy(
      "POST",
      { host: "api.anthropic.com", path: "/v1/messages" },
      {
        model: "claude",
        max_tokens: 9,
        system: [{ type: "text", text: "Be terse" }],
        messages: [
          user,
          { role: "assistant", content: [{ type: "tool_use", id: "toolu_a", name: "price", input: { thing: "tea" } }] },
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: "toolu_a", content: "3", is_error: true },
              { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
            ],
          },
        ],
        tools: [{ name: "price", description: "The price", input_schema: { type: "object" } }],
      },
    )
    expect(asked).toMatchObject({
      isOfficial: true,
      request: {
        system: "Be terse",
        messages: [
          { role: "user", content: [{ type: "text", text: "The price of tea?" }] },
          { role: "assistant", content: [{ type: "call", callId: "toolu_a", tool: "price", args: { thing: "tea" } }] },
          { role: "tool", content: [{ callId: "toolu_a", tool: "price", isError: true, content: "3" }] },
          { role: "user", content: [{ type: "file", mediaType: "image/png", data: "aGk=" }] },
        ],
        tools: [{ name: "price", description: "The price", args: { type: "object" } }],
        settings: { max_tokens: 9 },
      },
    })
  })

  it("to another path, or of another shape, is none to a model", () => {
    for (const [method, path, body] of [
      ["GET", "/v1/chat/completions", { messages: [] }],
      ["POST", "/v1/moderations", { input: "a" }],
      ["POST", "/v1/chat/completions", { messages: "a" }],
      ["POST", "/v1/messages", { messages: [] }],
    ] as const) {
      expect(askedBy(method, { host: "api.openai.com", path }, body)).toBeUndefined()
    }
  })
})

describe("an answer that a person wrote", () => {
  const messages = [{ role: "user", content: "hello" }]
  const gemini = { contents: [{ role: "user", parts: [{ text: "hello" }] }] }
  const asks: ReadonlyArray<readonly [path: string, body: { readonly [name: string]: Json }]> = [
    ["/v1/chat/completions", { model: "m", messages }],
    ["/v1/chat/completions", { model: "m", messages, stream: true }],
    ["/v1/responses", { model: "m", input: messages }],
    ["/v1/responses", { model: "m", input: messages, stream: true }],
    ["/v1/messages", { model: "m", max_tokens: 9, messages }],
    ["/v1/messages", { model: "m", max_tokens: 9, messages, stream: true }],
    ["/v1beta/models/m:generateContent", gemini],
    ["/v1beta/models/m:streamGenerateContent", gemini],
    ["/v1beta/models/m:streamGenerateContent?alt=sse", gemini],
    ["/api/chat", { model: "m", messages }],
    ["/api/chat", { model: "m", messages, stream: false }],
    ["/api/generate", { model: "m", prompt: "hello" }],
    ["/api/generate", { model: "m", prompt: "hello", stream: false }],
    ["/v1/completions", { model: "m", prompt: "hello" }],
    ["/v1/completions", { model: "m", prompt: "hello", stream: true }],
    ["/v1beta/interactions", { model: "m", input: "hello" }],
    ["/v1beta/interactions", { model: "m", input: "hello", stream: true }],
    ["/v2/chat", { model: "m", messages }],
    ["/v2/chat", { model: "m", messages, stream: true }],
    ["/model/m/converse", { messages: [{ role: "user", content: [{ text: "hello" }] }] }],
    ["/model/m/converse-stream", { messages: [{ role: "user", content: [{ text: "hello" }] }] }],
    ["/model/m/invoke", { anthropic_version: "bedrock-2023-05-31", max_tokens: 9, messages }],
    ["/model/m/invoke-with-response-stream", { anthropic_version: "bedrock-2023-05-31", max_tokens: 9, messages }],
    ["/model/m/invoke-with-response-stream", { schemaVersion: "messages-v1", messages }],
    ["/model/m/invoke-with-response-stream", { messages }],
    ["/v1/projects/p/locations/l/publishers/anthropic/models/m:rawPredict", { anthropic_version: "v", messages }],
    [
      "/v1/projects/p/locations/l/publishers/anthropic/models/m:streamRawPredict",
      { anthropic_version: "v", messages, stream: true },
    ],
  ]

  it.each(asks)("is read as the provider's own, to %s %o", (path, body) => {
    const address = { host: "127.0.0.1", path: path.replace(/\?.*/, "") }
    const asked = askedBy("POST", address, body)
    if (asked === undefined) throw new Error("expected a request to a model")
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: "grapheme" }), (text) => {
        const { body: given, contentType } = written(asked.wire.name, { ...address, path }, body, text)
        const bytes = new Uint8Array(Buffer.from(given))
        const came = {
          status: 200,
          headers: { "content-type": contentType },
          body: Buffer.from(given).toString("utf8"),
        }
        expect(answeredBy(asked, { ...came, bytes: () => bytes, end: "clean" }, String, 0)).toMatchObject({
          turn: { parts: [{ type: "text", text }], finish: "stop", unread: [] },
        })
      }),
    )
  })
})
