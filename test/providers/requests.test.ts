import { describe, expect, it } from "vitest"
import { answeredBy, askedBy } from "../../src/providers/WireFormats.ts"
import type { Json, JsonObject } from "../../src/values/Json.ts"

const asked = (path: string, body: JsonObject, host = "localhost") => {
  const found = askedBy("POST", { host, path }, body)
  if (found === undefined) throw new Error(`expected a request to a model: ${path}`)
  return found
}

const messagesOf = (path: string, body: JsonObject) => asked(path, body).request.messages

const input = (...items: ReadonlyArray<JsonObject>) => messagesOf("/v1/responses", { model: "m", input: items })

describe("who says what in a request", () => {
  it("follows from the type of each item of OpenAI's responses", () => {
    expect(
      input(
        { role: "user", content: "Draw" },
        { type: "custom_tool_call", call_id: "a", name: "patch", input: "*** Begin" },
        { type: "custom_tool_call_output", call_id: "a", output: "done" },
        { type: "computer_call", call_id: "b", action: { type: "screenshot" } },
        { type: "computer_call_output", call_id: "b", output: { type: "computer_screenshot", image_url: "x" } },
        { type: "apply_patch_call", call_id: "c", operation: { type: "delete_file", path: "x" } },
        { type: "apply_patch_call_output", call_id: "c", status: "failed", output: "no such file" },
        { type: "mcp_approval_request", id: "d", server_label: "shop", name: "buy", arguments: "{}" },
        { type: "mcp_approval_response", approval_request_id: "d", approve: false, reason: "too dear" },
        { type: "web_search_call", id: "e", status: "completed", action: { type: "search", query: "tea" } },
        { role: "developer", content: "Be terse" },
        { type: "item_reference", id: "msg_1" },
        { type: "teleport", to: "China" },
      ),
    ).toMatchObject([
      { role: "user", content: [{ type: "text", text: "Draw" }] },
      { role: "assistant", content: [{ type: "call", tool: "patch", args: "*** Begin" }] },
      { role: "tool", content: [{ callId: "a", tool: "patch", content: "done" }] },
      { role: "assistant", content: [{ type: "call", tool: "computer" }] },
      { role: "tool", content: [{ callId: "b", tool: "computer" }] },
      { role: "assistant", content: [{ type: "call", tool: "apply_patch" }] },
      { role: "tool", content: [{ callId: "c", tool: "apply_patch", isError: true }] },
      { role: "assistant", content: [{ type: "call", tool: "mcp_approval_request" }] },
      { role: "tool", content: [{ callId: "d", content: { approve: false, reason: "too dear" } }] },
      { role: "assistant", content: [{ type: "hosted", tool: "web_search" }] },
      { role: "system", content: [{ type: "text", text: "Be terse" }] },
      { role: "unknown", content: [{ type: "item", kind: "item_reference" }] },
      { role: "unknown", content: [{ type: "item", kind: "teleport", unread: true }] },
    ])
  })

  it.each([
    ["/v1/chat/completions", { messages: [{ role: "oracle", content: "42" }] }],
    ["/v1/messages", { max_tokens: 9, messages: [{ role: "oracle", content: "42" }] }],
    ["/v1/messages", { max_tokens: 9, messages: [{ content: "42" }] }],
    ["/v1beta/models/m:generateContent", { contents: [{ role: "oracle", parts: [{ text: "42" }] }] }],
    ["/api/chat", { model: "m", messages: [{ role: "oracle", content: "42" }] }],
    ["/v2/chat", { model: "m", messages: [{ role: "oracle", content: "42" }] }],
    ["/model/m/converse", { messages: [{ role: "oracle", content: [{ text: "42" }] }] }],
    ["/v1beta/interactions", { model: "m", input: [{ role: "oracle", content: "42" }] }],
    ["/v1/responses", { model: "m", input: [{ role: "oracle", content: "42" }] }],
  ] as ReadonlyArray<readonly [string, JsonObject]>)("is unknown for a role that nobody knows, to %s", (path, body) => {
    expect(messagesOf(path, body)).toMatchObject([{ role: "unknown", content: [{ type: "item", unread: true }] }])
  })

  it("gives a result without an id to the oldest open call of its tool", () => {
    const call = (name: string) => ({ role: "assistant", content: null, function_call: { name, arguments: "{}" } })
    const result = (name: string, content: string) => ({ role: "function", name, content })
    const messages = [call("read"), result("read", "x"), call("read"), result("read", "y")]
    expect(messagesOf("/v1/chat/completions", { model: "m", messages })).toMatchObject([
      { role: "assistant", content: [{ type: "call", callId: "call_1", tool: "read" }] },
      { role: "tool", content: [{ callId: "call_1", tool: "read", content: "x" }] },
      { role: "assistant", content: [{ type: "call", callId: "call_2", tool: "read" }] },
      { role: "tool", content: [{ callId: "call_2", tool: "read", content: "y" }] },
    ])
  })

  it("keeps content that is no text, file or call as its provider's JSON", () => {
    const url = { type: "image_url", image_url: { url: "https://a.example/tea.png" } }
    const messages = [
      { role: "user", content: [{ type: "text", text: "This?" }, url, { type: "hologram", data: "x" }] },
    ]
    expect(messagesOf("/v1/chat/completions", { model: "m", messages })).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "This?" },
          { type: "item", kind: "image_url", item: url },
          { type: "item", kind: "hologram", item: { type: "hologram", data: "x" }, unread: true },
        ],
      },
    ])
  })
})

describe("the conversation that a server keeps", () => {
  it.each([
    ["/v1/responses", { model: "m", input: "more", previous_response_id: "resp_1" }, { after: "resp_1" }],
    ["/v1/responses", { model: "m", input: "more", conversation: { id: "conv_1" } }, { conversation: "conv_1" }],
    ["/v1/responses", { model: "m", input: "more", conversation: "conv_1" }, { conversation: "conv_1" }],
    ["/v1beta/interactions", { model: "m", input: "more", previous_interaction_id: "v1" }, { after: "v1" }],
    [
      "/v1/messages",
      { max_tokens: 9, messages: [], thread: { type: "continue", previous_message_id: "msg_1" } },
      { after: "msg_1" },
    ],
    ["/v1/responses", { model: "m", input: "more" }, undefined],
    ["/v1/messages", { max_tokens: 9, messages: [], thread: { type: "create" } }, undefined],
  ] as ReadonlyArray<readonly [string, JsonObject, JsonObject | undefined]>)(
    "is named by %s %o",
    (path, body, thread) => {
      expect(asked(path, body).request.thread).toEqual(thread)
    },
  )
})

describe("a request to a model", () => {
  const chat = { model: "m", messages: [] }
  const claude = { model: "m", max_tokens: 9, messages: [] }

  it.each([
    ["/v1/chat/completions/", chat, "openai-chat"],
    ["/chat/completions", chat, "openai-chat"],
    ["/v1/v1/chat/completions", chat, "openai-chat"],
    ["/api/paas/v4/chat/completions", chat, "openai-chat"],
    ["/openai/deployments/gpt/chat/completions", chat, "openai-chat"],
    ["/messages", claude, "anthropic"],
    ["/v1/v1/messages", claude, "anthropic"],
    ["/v1/messages//", claude, "anthropic"],
    ["/responses", { input: "hi" }, "openai-responses"],
    ["/v1/responses/", { input: "hi" }, "openai-responses"],
    ["/v1beta/models/m:generateContent/", { contents: [] }, "gemini"],
    ["/v1beta/tunedModels/m:generateContent", { contents: [] }, "gemini"],
    ["/v1beta1/projects/p/locations/l/endpoints/1:streamGenerateContent", { contents: [] }, "gemini"],
    ["/completions", { prompt: "hi" }, "openai-completions"],
    ["/bedrock/model/m/converse", chat, "bedrock-converse"],
    ["/v1/embeddings", { model: "m", input: "a" }, "embeddings"],
    ["/v1beta/models/m:embedContent", { content: { parts: [{ text: "a" }] } }, "embeddings"],
  ] as ReadonlyArray<readonly [string, JsonObject, string]>)(
    "is known by the end of its path: %s",
    (path, body, wire) => {
      expect(asked(path, body).wire.name).toBe(wire)
    },
  )

  it.each([
    ["/v1/audio/speech", { model: "m", input: "hi" }],
    ["/v1/images/generations", { model: "m", prompt: "tea" }],
    ["/v1/moderations", { model: "m", input: "hi" }],
    ["/v1/batches", { input_file_id: "f", endpoint: "/v1/chat/completions" }],
    ["/v1/messages/batches", { requests: [] }],
    ["/v1/messages/count_tokens", { model: "m", messages: [] }],
    ["/v1/rerank", { model: "m", query: "tea", documents: [] }],
    ["/v1/threads/t/messages", { role: "user", content: "hi" }],
    ["/model/m/invoke", { prompt: "hi" }],
    // Mistral's, as its reference documents them: begun, continued, and restarted from an entry.
    ["/v1/conversations", { model: "mistral-medium-latest", inputs: "hi", stream: false, store: true }],
    ["/v1/conversations", { agent_id: "ag_1", inputs: [{ type: "message.input", role: "user", content: "hi" }] }],
    ["/v1/conversations/conv_1", { inputs: [{ type: "function.result", tool_call_id: "c1", result: "sunny" }] }],
    ["/v1/conversations/conv_1/restart", { from_entry_id: "msg_1", inputs: "hi", stream: true }],
  ] as ReadonlyArray<readonly [string, JsonObject]>)("is none to %s, which is kept as bytes", (path, body) => {
    expect(askedBy("POST", { host: "localhost", path }, body)).toBeUndefined()
  })

  it.each([
    ["api.openai.com", "openai"],
    ["openrouter.ai", "openrouter"],
    ["api.mistral.ai", "mistral"],
    ["api.groq.com", "groq"],
    ["api.deepseek.com", "deepseek"],
    ["shop.openai.azure.com", "azure"],
    ["llm.example", "openai-compatible"],
    ["api.openai.com.example", "openai-compatible"],
  ])("to %s is asked of %s", (host, provider) => {
    expect(asked("/v1/chat/completions", chat, host).request.provider).toBe(provider)
  })

  it("takes the model from the path, where that names it", () => {
    expect(asked("/openai/deployments/gpt-5/chat/completions", { messages: [] }).request.model).toBe("gpt-5")
    const claude = "/v1/projects/p/locations/l/publishers/anthropic/models/claude%401:rawPredict"
    expect(asked(claude, { anthropic_version: "v", messages: [] }).request.model).toBe("claude@1")
    expect(asked("/model/us.anthropic.m%3A0/converse", { messages: [] }).request.model).toBe("us.anthropic.m:0")
  })

  it("can name another model, in the place where its format has it", () => {
    const { wire } = asked("/model/m/converse", { messages: [] })
    expect(wire.withModel?.("/model/m%3A0/converse", "n/1")).toBe("/model/n%2F1/converse")
    expect(asked("/v1/messages", claude).wire.withModel?.("/v1/messages", "n")).toBeUndefined()
    expect(asked("/v1/chat/completions", chat).wire.withModel).toBeUndefined()
  })
})

describe("an answer that failed", () => {
  const answered = (path: string, body: JsonObject, came: { readonly body: string; readonly status?: number }) => {
    const response = { status: 200, headers: { "content-type": "application/json" }, end: "clean" as const, ...came }
    return answeredBy(asked(path, body), response, String, 0)
  }

  it.each([
    [
      "/v1/chat/completions",
      { messages: [] },
      { choices: [{ index: 0, message: {}, finish_reason: "error", error: { code: 502, message: "gone" } }] },
    ],
    [
      "/v1/responses",
      { input: "hi" },
      { object: "response", status: "failed", error: { code: "server_error", message: "gone" }, output: [] },
    ],
    ["/v1/responses", { input: "hi" }, { object: "response", status: "cancelled", error: null, output: [] }],
    [
      "/v1/messages",
      { max_tokens: 9, messages: [] },
      { type: "error", error: { type: "overloaded_error", message: "gone" } },
    ],
    [
      "/v1beta/models/m:generateContent",
      { contents: [] },
      { candidates: [{ finishReason: "MALFORMED_FUNCTION_CALL" }] },
    ],
    ["/v1beta/interactions", { model: "m", input: "hi" }, { id: "v", status: "failed" }],
    ["/v2/chat", { messages: [] }, { finish_reason: "ERROR", message: { content: [] } }],
    ["/api/generate", { model: "m" }, { error: "gone" }],
  ] as ReadonlyArray<readonly [string, JsonObject, Json]>)("says so to %s %o", (path, body, given) => {
    const failed = answered(path, body, { body: JSON.stringify(given) })
    expect("failure" in failed && failed.failure.kind).toBeOneOf(["cut-off", "overloaded"])
  })

  it("was refused, where the provider or the model refuses", () => {
    const refused = { choices: [{ message: { refusal: "No." }, finish_reason: "stop" }] }
    expect(answered("/v1/chat/completions", { messages: [] }, { body: JSON.stringify(refused) })).toMatchObject({
      failure: { kind: "refused", reason: "The model refused: No." },
    })
    const filtered = {
      object: "response",
      status: "incomplete",
      incomplete_details: { reason: "content_filter" },
      output: [],
    }
    expect(answered("/v1/responses", { input: "hi" }, { body: JSON.stringify(filtered) })).toMatchObject({
      failure: { kind: "refused" },
    })
  })
})
