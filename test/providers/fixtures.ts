/**
 * Answers of providers and what they say: each item type and each way to count of today, streamed and not. Recordings read
 * all of them; live agents are asked for those of their providers (`live`), and have to read the same.
 */

import type { AnswerPart } from "../../src/agents/models/Message.ts"
import type { ModelUsage } from "../../src/events/vocabulary/Deciding.ts"
import * as AwsEvents from "../../src/providers/AwsEvents.ts"
import { type Answered, answeredBy, askedBy } from "../../src/providers/WireFormats.ts"
import type { Json, JsonObject } from "../../src/values/Json.ts"
import type { ProviderName } from "../agents/models/servers.ts"

export interface Fixture {
  readonly name: string
  readonly path: string
  readonly body: JsonObject
  readonly answer: string | Uint8Array
  readonly contentType: string
  /** The provider whose live models read it as well. */
  readonly live?: ProviderName
  readonly parts: ReadonlyArray<Partial<AnswerPart>>
  readonly finish: "stop" | "calls" | "length" | "paused"
  readonly usage?: Partial<ModelUsage>
  readonly cost?: number
  /** The types that are not known. */
  readonly unread?: ReadonlyArray<string>
}

type Said = Pick<Fixture, "name" | "parts"> & Partial<Fixture>

const lines = (values: ReadonlyArray<Json>) => values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join("")

const named = (events: ReadonlyArray<JsonObject>) =>
  events.map((event) => `event: ${event.type ?? event.event_type}\ndata: ${JSON.stringify(event)}\n\n`).join("")

const text = (said: string): AnswerPart => ({ type: "text", text: said })
const thought = (said: string, providerMetadata?: JsonObject): AnswerPart => ({
  type: "reasoning",
  text: said,
  ...(providerMetadata === undefined ? {} : { providerMetadata }),
})
const call = (tool: string, args: Json, callId?: string): Partial<AnswerPart> => ({
  type: "call",
  tool,
  args,
  ...(callId === undefined ? {} : { callId }),
})
const hosted = (tool: string, args: Json, result?: Json): Partial<AnswerPart> => ({
  type: "hosted",
  tool,
  args,
  ...(result === undefined ? {} : { result }),
})

const messages = [{ role: "user", content: "The price of tea?" }]
const PNG = "iVBORw0KGgo="

// OpenAI's chat completions, and what other servers make of them.

const chunk = (delta: JsonObject, more: JsonObject = {}): JsonObject => ({
  id: "c",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
})

const chatBody = { model: "m", messages }

/** A stream. It ends with the reason, unless the deltas have their own. */
const chatStream = (
  deltas: ReadonlyArray<JsonObject>,
  finish: string | null = "stop",
  more: ReadonlyArray<Json> = [],
) => ({
  path: "/v1/chat/completions",
  body: { ...chatBody, stream: true },
  contentType: "text/event-stream",
  answer: `${lines([...deltas.map((delta) => chunk(delta)), ...(finish === null ? [] : [chunk({}, { finish_reason: finish })]), ...more])}data: [DONE]\n\n`,
})

const chatWhole = (message: JsonObject, finish: string | null = "stop", more: JsonObject = {}) => ({
  path: "/v1/chat/completions",
  body: chatBody,
  contentType: "application/json",
  answer: JSON.stringify({
    id: "c",
    object: "chat.completion",
    created: 1,
    model: "m",
    ...more,
    choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: finish }],
  }),
})

const toolCall = (more: JsonObject, called: JsonObject): JsonObject => ({
  tool_calls: [{ ...more, type: "function", function: called }],
})

const twoReads = [call("read", { path: "a" }), call("read", { path: "b" })]
const A = '{"path":"a"}'
const B = '{"path":"b"}'

const LONG = "12345678901234567890"
// What JavaScript makes of that number.
const ROUNDED = Number(LONG)

const chatCounts = { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 }
const counted = (usage: JsonObject): JsonObject => ({ ...chunk({}), choices: [], usage })

const chat: ReadonlyArray<Said & Pick<Fixture, "path" | "body" | "answer" | "contentType">> = [
  {
    name: "calls whose arguments are objects",
    parts: twoReads,
    ...chatWhole({
      content: null,
      tool_calls: [
        { id: "a", type: "function", function: { name: "read", arguments: { path: "a" } } },
        { id: "b", type: "function", function: { name: "read", arguments: { path: "b" } } },
      ],
    }),
  },
  {
    name: "calls that share a place",
    parts: twoReads,
    live: "openai-compatible",
    ...chatStream(
      [
        toolCall({ index: 0, id: "a" }, { name: "read", arguments: A }),
        toolCall({ index: 0, id: "b" }, { name: "read", arguments: B }),
      ],
      "tool_calls",
    ),
  },
  {
    name: "calls that share a place and have no ids",
    live: "openai-compatible",
    parts: twoReads,
    ...chatStream([
      toolCall({ index: 0 }, { name: "read", arguments: A }),
      toolCall({ index: 0 }, { name: "read", arguments: B }),
    ]),
  },
  {
    name: "calls without a place",
    parts: twoReads,
    live: "openai-compatible",
    ...chatStream(
      [toolCall({ id: "a" }, { name: "read", arguments: A }), toolCall({ id: "b" }, { name: "read", arguments: B })],
      "tool_calls",
    ),
  },
  {
    name: "a name that each piece repeats",
    parts: [call("read", { path: "a" }, "a")],
    live: "openai-compatible",
    ...chatStream(
      [
        toolCall({ index: 0, id: "a" }, { name: "read", arguments: "" }),
        toolCall({ index: 0, id: "a" }, { name: "read", arguments: '{"path":' }),
        toolCall({ index: 0, id: "a" }, { name: "read", arguments: '"a"}' }),
      ],
      "tool_calls",
    ),
  },
  {
    name: "a name in pieces",
    parts: [call("read", { path: "a" })],
    ...chatStream([
      toolCall({ index: 0, id: "a" }, { name: "re", arguments: "" }),
      toolCall({ index: 0 }, { name: "ad", arguments: A }),
    ]),
  },
  {
    name: "pieces of two calls in turn",
    parts: twoReads,
    live: "openai-compatible",
    ...chatStream(
      [
        toolCall({ index: 0, id: "a" }, { name: "read", arguments: "" }),
        toolCall({ index: 1, id: "b" }, { name: "read", arguments: "" }),
        toolCall({ index: 0 }, { arguments: A }),
        toolCall({ index: 1 }, { arguments: B }),
      ],
      "tool_calls",
    ),
  },
  {
    name: "a call of a custom tool",
    parts: [call("patch", "*** Begin", "a")],
    ...chatWhole({
      content: null,
      tool_calls: [{ id: "a", type: "custom", custom: { name: "patch", input: "*** Begin" } }],
    }),
  },
  {
    name: "a call of a custom tool as it streams",
    parts: [call("patch", "*** Begin", "a")],
    ...chatStream([
      { tool_calls: [{ index: 0, id: "a", type: "custom", custom: { name: "patch", input: "*** " } }] },
      { tool_calls: [{ index: 0, custom: { input: "Begin" } }] },
    ]),
  },
  {
    name: "the old function call",
    parts: [call("read", { path: "a" })],
    ...chatWhole({ content: null, function_call: { name: "read", arguments: A } }, "function_call"),
  },
  {
    name: "the old function call as it streams",
    parts: [call("read", { path: "a" })],
    ...chatStream(
      [{ function_call: { name: "read", arguments: "" } }, { function_call: { arguments: A } }],
      "function_call",
    ),
  },
  {
    name: "a number of twenty digits",
    parts: [{ ...call("read", { id: ROUNDED }), text: `{"id":${LONG}}` } as Partial<AnswerPart>],
    live: "openai-compatible",
    ...chatStream([toolCall({ index: 0, id: "a" }, { name: "read", arguments: `{"id":${LONG}}` })], "tool_calls"),
  },
  {
    name: "a number of twenty digits in an object",
    parts: [{ ...call("read", { id: ROUNDED }), text: `{"id": ${LONG}}` } as Partial<AnswerPart>],
    ...chatWhole({}),
    answer: `{"choices":[{"message":{"tool_calls":[{"function":{"name":"read","arguments":{"id": ${LONG}}}}]}}]}`,
  },
  {
    name: "what Mistral thinks",
    parts: [thought("Tea."), text("3")],
    ...chatWhole({
      content: [
        { type: "thinking", thinking: [{ type: "text", text: "Tea." }] },
        { type: "text", text: "3" },
      ],
    }),
  },
  {
    name: "what Mistral thinks as it streams",
    live: "openai-compatible",
    parts: [thought("Tea."), text("3")],
    ...chatStream([
      { content: [{ type: "thinking", thinking: [{ type: "text", text: "Te" }] }] },
      { content: [{ type: "thinking", thinking: [{ type: "text", text: "a." }] }] },
      { content: "3" },
    ]),
  },
  {
    name: "the reasoning details of OpenRouter",
    live: "openai-compatible",
    parts: [
      thought("Tea.", {
        openrouter: { reasoning_details: [{ type: "reasoning.text", text: "Tea.", signature: "c2ln", index: 0 }] },
      }),
      text("3"),
    ],
    ...chatStream([
      { reasoning: "Te", reasoning_details: [{ type: "reasoning.text", text: "Te", index: 0 }] },
      { reasoning: "a.", reasoning_details: [{ type: "reasoning.text", text: "a.", signature: "c2ln", index: 0 }] },
      { content: "3" },
    ]),
  },
  {
    name: "reasoning that is only in the details",
    parts: [thought("Tea."), text("3")],
    ...chatWhole({ content: "3", reasoning_details: [{ type: "reasoning.summary", summary: "Tea." }] }),
  },
  {
    name: "a reasoning_content",
    parts: [thought("Tea."), text("3")],
    live: "openai-compatible",
    ...chatStream([{ reasoning_content: "Tea." }, { content: "3" }]),
  },
  {
    name: "sound",
    parts: [text("Three."), { type: "file", mediaType: "audio/wav", data: "UklGRg==" }],
    ...chatWhole({ content: null, audio: { id: "au", data: "UklGRg==", transcript: "Three." } }),
  },
  {
    name: "sound as it streams",
    parts: [text("Three."), { type: "file", mediaType: "audio/wav", data: "UklGRg==" }],
    ...chatStream([
      { audio: { id: "au", transcript: "Thr" } },
      { audio: { data: "UklG" } },
      { audio: { data: "Rg==", transcript: "ee." } },
    ]),
  },
  {
    name: "an image",
    parts: [{ type: "file", mediaType: "image/png", data: PNG }],
    ...chatWhole({ content: "", images: [{ type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } }] }),
  },
  { name: "an empty answer", parts: [], ...chatWhole({ content: "" }) },
  {
    name: "content of a type that nobody knows",
    parts: [text("3"), { type: "item", kind: "hologram", item: { type: "hologram", data: "x" }, unread: true }],
    unread: ["hologram"],
    ...chatWhole({
      content: [
        { type: "text", text: "3" },
        { type: "hologram", data: "x" },
      ],
    }),
  },
  ...["eos", "end_turn", "STOP", "stop_sequence", "COMPLETE", "a reason of tomorrow"].map((reason) => ({
    name: `the reason ${reason}`,
    parts: [text("3")],
    ...(reason === "a reason of tomorrow" ? {} : { live: "openai-compatible" as const }),
    ...chatStream([{ content: "3" }], reason),
  })),
  { name: "an empty reason", parts: [text("3")], ...chatStream([{ content: "3" }], "") },
  { name: "an empty reason of a whole answer", parts: [text("3")], ...chatWhole({ content: "3" }, "") },
  { name: "no reason of a whole answer", parts: [text("3")], ...chatWhole({ content: "3" }, null) },
  {
    name: "a limit that was reached while the model thought",
    parts: [thought("Tea")],
    finish: "length",
    ...chatStream([{ reasoning: "Tea" }], "length"),
  },
  ...(
    [
      ["the cache of OpenAI", { ...chatCounts, prompt_tokens_details: { cached_tokens: 8 } }, { cachedTokens: 8 }],
      [
        "the cache of DeepSeek",
        { ...chatCounts, prompt_cache_hit_tokens: 8, prompt_cache_miss_tokens: 12 },
        { cachedTokens: 8 },
      ],
      [
        "xAI, which counts thoughts beside the answer",
        {
          prompt_tokens: 20,
          completion_tokens: 2,
          total_tokens: 29,
          completion_tokens_details: { reasoning_tokens: 7 },
        },
        { reasoningTokens: 7 },
      ],
    ] as const
  ).map(([name, usage, more]) => ({
    name: `the counts of ${name}`,
    parts: [text("3")],
    live: "openai-compatible" as const,
    ...chatStream([{ content: "3" }], "stop", [counted(usage)]),
    usage: { inputTokens: 20, outputTokens: 9, ...more },
  })),
  {
    name: "the counts of Groq as it streams",
    parts: [text("3")],
    live: "openai-compatible",
    ...chatStream([{ content: "3" }], "stop", [{ ...chunk({}), choices: [], x_groq: { id: "r", usage: chatCounts } }]),
    usage: { inputTokens: 20, outputTokens: 9 },
  },
  {
    name: "the cost that OpenRouter names",
    live: "openai-compatible",
    parts: [text("3")],
    cost: 0.0125,
    ...chatStream([{ content: "3" }], "stop", [counted({ ...chatCounts, cost: 0.0125, is_byok: false })]),
  },
  {
    name: "the cost that xAI names in ticks",
    parts: [text("3")],
    cost: 0.0001777,
    live: "openai-compatible",
    ...chatStream([{ content: "3" }], "stop", [counted({ ...chatCounts, cost_in_usd_ticks: 1_777_000 })]),
  },
  {
    name: "the cost with a key of one's own",
    parts: [text("3")],
    cost: 0.0625,
    ...chatWhole({ content: "3" }, "stop", {
      usage: { ...chatCounts, cost: 0.0125, is_byok: true, cost_details: { upstream_inference_cost: 0.05 } },
    }),
  },
  {
    name: "one count without the other",
    parts: [text("3")],
    live: "openai-compatible",
    ...chatStream([{ content: "3" }], "stop", [counted({ prompt_tokens: 20 })]),
    usage: { inputTokens: 20, outputTokens: 0, unknown: ["outputTokens"] },
  },
  {
    name: "no counts",
    parts: [text("3")],
    live: "openai-compatible",
    ...chatStream([{ content: "3" }]),
    usage: { inputTokens: 0, outputTokens: 0, unknown: ["inputTokens", "outputTokens"] },
  },
]

// OpenAI's responses.

const responses = (output: ReadonlyArray<JsonObject>, more: JsonObject = {}): JsonObject => ({
  id: "resp_1",
  object: "response",
  created_at: 1,
  status: "completed",
  model: "m",
  error: null,
  output,
  incomplete_details: null,
  usage: { input_tokens: 20, output_tokens: 9, total_tokens: 29 },
  ...more,
})

const responsesWhole = (output: ReadonlyArray<JsonObject>, more: JsonObject = {}) => ({
  path: "/v1/responses",
  body: { model: "m", input: messages },
  contentType: "application/json",
  answer: JSON.stringify(responses(output, more)),
})

/** A stream whose last event does not repeat the items, as some servers send it. */
const responsesStream = (output: ReadonlyArray<JsonObject>, repeats = true) => ({
  path: "/v1/responses",
  body: { model: "m", input: messages, stream: true },
  contentType: "text/event-stream",
  answer: named([
    { type: "response.created", response: responses([], { status: "in_progress", usage: null }) },
    ...output.flatMap(
      (item, index): ReadonlyArray<JsonObject> => [
        {
          type: "response.output_item.added",
          output_index: index,
          item: { ...item, ...(item.type === "message" ? { content: [] } : {}), status: "in_progress" },
        },
        ...(item.type === "message"
          ? [{ type: "response.output_text.delta", output_index: index, item_id: "ms", content_index: 0, delta: "3" }]
          : []),
        { type: "response.output_item.done", output_index: index, item },
      ],
    ),
    { type: "response.completed", response: responses(repeats ? output : []) },
  ]),
})

const screenshot = { type: "click", x: 1, y: 2, button: "left" }

/** Each type of item, with what it says. */
const responseItems: ReadonlyArray<readonly [JsonObject, ReadonlyArray<Partial<AnswerPart>>, string?]> = [
  [{ type: "function_call", id: "fc", call_id: "a", name: "read", arguments: A }, [call("read", { path: "a" }, "a")]],
  [
    { type: "custom_tool_call", id: "ct", call_id: "a", name: "patch", input: "*** Begin" },
    [call("patch", "*** Begin", "a")],
  ],
  [
    { type: "computer_call", id: "cu", call_id: "a", action: screenshot, pending_safety_checks: [] },
    [call("computer", { action: screenshot }, "a")],
  ],
  [
    { type: "computer_call", id: "cu", call_id: "a", actions: [screenshot], pending_safety_checks: [] },
    [call("computer", { actions: [screenshot] }, "a")],
  ],
  [
    { type: "local_shell_call", id: "ls", call_id: "a", action: { type: "exec", command: ["ls"], env: {} } },
    [call("local_shell", { type: "exec", command: ["ls"], env: {} }, "a")],
  ],
  [
    { type: "shell_call", id: "sh", call_id: "a", action: { commands: ["ls"] } },
    [call("shell", { commands: ["ls"] }, "a")],
  ],
  [
    { type: "apply_patch_call", id: "ap", call_id: "a", operation: { type: "delete_file", path: "x" } },
    [call("apply_patch", { type: "delete_file", path: "x" }, "a")],
  ],
  [
    { type: "mcp_approval_request", id: "a", server_label: "shop", name: "buy", arguments: "{}" },
    [call("mcp_approval_request", { server_label: "shop", name: "buy", arguments: "{}" }, "a")],
  ],
  [
    {
      type: "mcp_call",
      id: "mc",
      server_label: "shop",
      name: "price",
      arguments: '{"of":"tea"}',
      output: "3",
      error: null,
    },
    [hosted("shop.price", { of: "tea" }, "3")],
  ],
  [
    { type: "mcp_list_tools", id: "ml", server_label: "shop", tools: [{ name: "price" }] },
    [hosted("mcp_list_tools", { server_label: "shop" }, [{ name: "price" }])],
  ],
  [
    { type: "image_generation_call", id: "ig", status: "completed", result: PNG, output_format: "webp" },
    [hosted("image_generation", {}), { type: "file", mediaType: "image/webp", data: PNG }],
  ],
  [
    { type: "web_search_call", id: "ws", status: "completed", action: { type: "search", query: "tea" } },
    [hosted("web_search", { action: { type: "search", query: "tea" } })],
  ],
  [
    { type: "file_search_call", id: "fs", queries: ["tea"], results: [{ text: "3" }] },
    [hosted("file_search", { queries: ["tea"] }, [{ text: "3" }])],
  ],
  [
    { type: "code_interpreter_call", id: "ci", code: "1+2", container_id: "c", outputs: [{ type: "logs", logs: "3" }] },
    [hosted("code_interpreter", { code: "1+2", container_id: "c" }, [{ type: "logs", logs: "3" }])],
  ],
  [
    { type: "tool_search_call", id: "ts", call_id: "a", execution: "client", arguments: { query: "tea" } },
    [call("tool_search", { query: "tea" }, "a")],
  ],
  [{ type: "program", id: "cm", call_id: "a", code: "tools.read()" }, [hosted("program", { code: "tools.read()" })]],
  [
    { type: "x_search_call", id: "xs", call_id: "", name: "x_semantic_search", arguments: '{"query":"tea"}' },
    [hosted("x_semantic_search", { query: "tea" })],
  ],
  [
    {
      type: "custom_tool_call",
      id: "ct",
      call_id: "xs",
      name: "x_keyword_search",
      input: '{"query":"tea"}',
      status: "completed",
    },
    [hosted("x_keyword_search", { query: "tea" })],
  ],
  [
    { type: "compaction", id: "cmp", encrypted_content: "ZW5j" },
    [{ type: "item", kind: "compaction", item: { type: "compaction", id: "cmp", encrypted_content: "ZW5j" } }],
  ],
  [
    { type: "reasoning", id: "rs", summary: [{ type: "summary_text", text: "Tea." }], encrypted_content: "ZW5j" },
    [thought("Tea.", { openai: { itemId: "rs", reasoningEncryptedContent: "ZW5j" } })],
  ],
  [
    { type: "teleport_call", id: "tp", to: "China" },
    [{ type: "item", kind: "teleport_call", item: { type: "teleport_call", id: "tp", to: "China" }, unread: true }],
    "teleport_call",
  ],
]

const message = {
  type: "message",
  id: "ms",
  role: "assistant",
  content: [{ type: "output_text", text: "3", annotations: [] }],
}

const responsesCases: ReadonlyArray<Said & Pick<Fixture, "path" | "body" | "answer" | "contentType">> = [
  ...responseItems.flatMap(([item, parts, unread]) => {
    const said = { parts, ...(unread === undefined ? {} : { unread: [unread] }) }
    const name = `${item.type}${"actions" in item ? " with several actions" : ""}${item.name === "x_keyword_search" ? " of xAI's own" : ""}`
    return [
      { name, ...said, ...responsesWhole([item]) },
      { name: `${name} as it streams`, ...said, ...responsesStream([item]) },
      { name: `${name} that only streams`, ...said, ...responsesStream([item], false) },
    ]
  }),
  { name: "a message", parts: [text("3")], live: "openai", ...responsesStream([message]) },
  {
    name: "a function call",
    parts: [call("read", { path: "a" }, "a")],
    live: "openai",
    ...responsesStream([
      { type: "function_call", id: "fc", call_id: "a", name: "read", arguments: A, status: "completed" },
    ]),
  },
  {
    name: "a shell that OpenAI runs",
    parts: [hosted("shell", { commands: ["ls"] }, [{ stdout: "a" }])],
    ...responsesWhole([
      { type: "shell_call", id: "sh", call_id: "a", action: { commands: ["ls"] } },
      { type: "shell_call_output", id: "so", call_id: "a", output: [{ stdout: "a" }] },
    ]),
  },
  {
    name: "the end of a program",
    parts: [hosted("program", { code: "tools.read()" }, "3")],
    ...responsesWhole([
      { type: "program", id: "cm", call_id: "a", code: "tools.read()" },
      { type: "program_output", id: "co", call_id: "a", result: "3", status: "completed" },
    ]),
  },
  {
    name: "the end of a program of the answer before",
    parts: [hosted("program", {}, "3"), text("3")],
    ...responsesWhole([{ type: "program_output", id: "co", call_id: "a", result: "3" }, message]),
  },
  ...["queued", "in_progress"].map((status) => ({
    name: `an answer in the background, ${status}`,
    parts: [],
    finish: "paused" as const,
    ...responsesWhole([], { status, usage: null, background: true }),
  })),
  {
    name: "an answer at its limit",
    parts: [text("3")],
    finish: "length",
    ...responsesWhole([message], { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }),
  },
  {
    name: "a web search that is priced",
    parts: [hosted("web_search", {}), text("3")],
    usage: { webSearches: 1 },
    ...responsesWhole([{ type: "web_search_call", id: "ws", status: "completed" }, message]),
  },
]

// Anthropic's messages.

const anthropicBody = { model: "m", max_tokens: 99, messages }

const anthropicWhole = (content: ReadonlyArray<JsonObject>, stop: string | null = "end_turn") => ({
  path: "/v1/messages",
  body: anthropicBody,
  contentType: "application/json",
  answer: JSON.stringify({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content,
    stop_reason: stop,
    stop_sequence: null,
    usage: { input_tokens: 20, output_tokens: 9 },
  }),
})

const DELTAS: { readonly [field: string]: string } = {
  text: "text_delta",
  thinking: "thinking_delta",
  content: "compaction_delta",
}

const anthropicStream = (content: ReadonlyArray<JsonObject>, stop = "end_turn") => ({
  path: "/v1/messages",
  body: { ...anthropicBody, stream: true },
  contentType: "text/event-stream",
  answer: named([
    {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "m",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 20, output_tokens: 1 },
      },
    },
    ...content.flatMap((block, index): ReadonlyArray<JsonObject> => {
      const field = Object.keys(DELTAS).find((name) => typeof block[name] === "string")
      const isCall = "input" in block
      const begun = field === undefined ? (isCall ? { ...block, input: {} } : block) : { ...block, [field]: "" }
      const delta = isCall
        ? { type: "input_json_delta", partial_json: JSON.stringify(block.input) }
        : field === undefined
          ? undefined
          : { type: DELTAS[field] ?? "", [field]: block[field] ?? "" }
      return [
        { type: "content_block_start", index, content_block: begun },
        ...(delta === undefined ? [] : [{ type: "content_block_delta", index, delta }]),
        { type: "content_block_stop", index },
      ]
    }),
    { type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 9 } },
    { type: "message_stop" },
  ]),
})

const search = { type: "server_tool_use", id: "srv", name: "web_search", input: { query: "tea" } }
const found = {
  type: "web_search_tool_result",
  tool_use_id: "srv",
  content: [{ type: "web_search_result", url: "https://a.example" }],
}
const compaction = { type: "compaction", content: "They asked for tea." }

const anthropicContents: ReadonlyArray<
  Said & { readonly content: ReadonlyArray<JsonObject>; readonly stop?: string; readonly isLive?: true }
> = [
  { name: "text", content: [{ type: "text", text: "3" }], parts: [text("3")], isLive: true },
  {
    name: "a call",
    parts: [call("read", { path: "a" }, "a")],
    stop: "tool_use",
    isLive: true,
    content: [{ type: "tool_use", id: "a", name: "read", input: { path: "a" } }],
  },
  {
    name: "what was thought",
    isLive: true,
    content: [
      { type: "thinking", thinking: "Tea.", signature: "c2ln" },
      { type: "text", text: "3" },
    ],
    parts: [thought("Tea.", { anthropic: { signature: "c2ln" } }), text("3")],
  },
  {
    name: "what was thought and hidden",
    isLive: true,
    content: [
      { type: "redacted_thinking", data: "ZW5j" },
      { type: "text", text: "3" },
    ],
    parts: [thought("", { anthropic: { redactedData: "ZW5j" } }), text("3")],
  },
  {
    name: "a search by Anthropic",
    content: [search, found, { type: "text", text: "3" }],
    parts: [hosted("web_search", { query: "tea" }, found.content), text("3")],
  },
  {
    name: "a turn that pauses within a search",
    content: [search],
    stop: "pause_turn",
    finish: "paused",
    parts: [hosted("web_search", { query: "tea" })],
  },
  {
    name: "the result of a search of the turn before",
    content: [found],
    parts: [hosted("web_search", {}, found.content)],
  },
  {
    name: "a tool of an MCP server",
    content: [
      { type: "mcp_tool_use", id: "mcp", name: "price", server_name: "shop", input: { of: "tea" } },
      { type: "mcp_tool_result", tool_use_id: "mcp", is_error: false, content: [{ type: "text", text: "3" }] },
    ],
    parts: [hosted("shop.price", { of: "tea" }, [{ type: "text", text: "3" }])],
  },
  {
    name: "a compaction",
    content: [compaction],
    parts: [{ type: "item", kind: "compaction", item: compaction }],
    stop: "compaction",
    finish: "paused",
  },
  { name: "an empty end of a turn", content: [], parts: [] },
  {
    name: "a block of a type that nobody knows",
    content: [{ type: "hologram", data: "x" }],
    parts: [{ type: "item", kind: "hologram", item: { type: "hologram", data: "x" }, unread: true }],
    unread: ["hologram"],
  },
]

const anthropicCases = anthropicContents.flatMap(({ content, stop, isLive, ...said }) => [
  { ...said, ...anthropicWhole(content, stop) },
  {
    ...said,
    name: `${said.name} as it streams`,
    ...anthropicStream(content, stop),
    ...(isLive === undefined ? {} : { live: "anthropic" as const }),
  },
])

// Gemini.

const geminiCandidate = (parts: ReadonlyArray<JsonObject>, finish: string | undefined = "STOP"): JsonObject => ({
  candidates: [
    { index: 0, content: { role: "model", parts }, ...(finish === undefined ? {} : { finishReason: finish }) },
  ],
  usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 9, totalTokenCount: 29 },
  modelVersion: "m",
  responseId: "g",
})

const geminiParts: ReadonlyArray<Said & { readonly given: ReadonlyArray<JsonObject>; readonly isLive?: true }> = [
  { name: "text", given: [{ text: "3" }], parts: [text("3")], isLive: true },
  {
    name: "a call with a signature",
    given: [{ functionCall: { name: "read", args: { path: "a" } }, thoughtSignature: "c2ln" }],
    parts: [
      {
        ...call("read", { path: "a" }),
        providerMetadata: { google: { thoughtSignature: "c2ln" } },
      } as Partial<AnswerPart>,
    ],
    isLive: true,
  },
  {
    name: "an image",
    given: [{ inlineData: { mimeType: "image/png", data: PNG } }],
    isLive: true,
    parts: [{ type: "file", mediaType: "image/png", data: PNG }],
  },
  {
    name: "code that Google runs",
    given: [
      { executableCode: { language: "PYTHON", code: "1+2" } },
      { codeExecutionResult: { outcome: "OUTCOME_OK", output: "3" } },
      { text: "3" },
    ],
    parts: [
      hosted("code_execution", { language: "PYTHON", code: "1+2" }, { outcome: "OUTCOME_OK", output: "3" }),
      text("3"),
    ],
  },
  {
    name: "a part that nobody knows",
    given: [{ hologram: { data: "x" } }],
    unread: ["hologram"],
    parts: [{ type: "item", kind: "hologram", item: { hologram: { data: "x" } }, unread: true }],
  },
]

const geminiBody = { contents: [{ role: "user", parts: [{ text: "The price of tea?" }] }] }

const geminiCases = geminiParts.flatMap(({ given, isLive, ...said }) => [
  {
    ...said,
    path: "/v1beta/models/m:generateContent",
    body: geminiBody,
    contentType: "application/json",
    answer: JSON.stringify(geminiCandidate(given)),
  },
  {
    ...said,
    name: `${said.name} as it streams`,
    path: "/v1beta/models/m:streamGenerateContent",
    body: geminiBody,
    contentType: "text/event-stream",
    answer: lines([geminiCandidate(given)]),
    ...(isLive === undefined ? {} : { live: "google" as const }),
  },
])

const geminiPiece = (functionCall: JsonObject): JsonObject => ({
  candidates: [{ index: 0, content: { role: "model", parts: [{ functionCall }] } }],
})

const geminiCalls: ReadonlyArray<Said & Pick<Fixture, "path" | "body" | "answer" | "contentType">> = [
  {
    name: "calls whose arguments stream value by value",
    live: "google",
    contentType: "text/event-stream",
    path: "/v1beta/models/m:streamGenerateContent",
    body: geminiBody,
    answer: lines([
      geminiPiece({ name: "read", willContinue: true }),
      geminiPiece({
        partialArgs: [{ jsonPath: "$.path", stringValue: "a/", willContinue: true }],
        willContinue: true,
      }),
      geminiPiece({ partialArgs: [{ jsonPath: "$.path", stringValue: "b" }], willContinue: true }),
      geminiPiece({ partialArgs: [{ jsonPath: "$.lines[0].from", numberValue: 3 }], willContinue: true }),
      geminiPiece({}),
      geminiPiece({ name: "list", args: {} }),
      geminiCandidate([]),
    ]),
    parts: [call("read", { path: "a/b", lines: [{ from: 3 }] }), call("list", {})],
  },
]

// Gemini's interactions.

const interaction = (more: JsonObject): JsonObject => ({
  id: "v1",
  object: "interaction",
  status: "completed",
  model: "m",
  usage: { total_input_tokens: 20, total_output_tokens: 2, total_thought_tokens: 7, total_tokens: 29 },
  ...more,
})

const interactionSteps: ReadonlyArray<JsonObject> = [
  { type: "thought", summary: [{ type: "text", text: "Tea." }], signature: "c2ln" },
  { type: "google_search_call", id: "gs", arguments: { queries: ["tea"] } },
  { type: "google_search_result", call_id: "gs", result: [{ title: "Tea" }] },
  { type: "model_output", content: [{ type: "text", text: "I look" }] },
  { type: "function_call", id: "a", name: "read", arguments: { path: "a" } },
]

const interactionSaid = {
  parts: [
    thought("Tea.", { google: { thoughtSignature: "c2ln" } }),
    hosted("google_search", { queries: ["tea"] }, [{ title: "Tea" }]),
    text("I look"),
    call("read", { path: "a" }, "a"),
  ],
  usage: { inputTokens: 20, outputTokens: 9, reasoningTokens: 7 },
  path: "/v1beta/interactions",
  body: { model: "m", input: "The price of tea?" },
}

const interactionCases: ReadonlyArray<Said & Pick<Fixture, "path" | "body" | "answer" | "contentType">> = [
  {
    ...interactionSaid,
    name: "steps of an interaction",
    contentType: "application/json",
    answer: JSON.stringify(interaction({ status: "requires_action", steps: interactionSteps })),
  },
  {
    ...interactionSaid,
    name: "steps of an interaction as they stream",
    contentType: "text/event-stream",
    answer: `${named([
      { event_type: "interaction.created", interaction: { id: "v1", status: "in_progress", model: "m" } },
      { event_type: "step.start", index: 0, step: { type: "thought" } },
      {
        event_type: "step.delta",
        index: 0,
        delta: { type: "thought_summary", content: { type: "text", text: "Tea." } },
      },
      { event_type: "step.delta", index: 0, delta: { type: "thought_signature", signature: "c2ln" } },
      { event_type: "step.stop", index: 0 },
      ...[1, 2].map((index) => ({ event_type: "step.start", index, step: interactionSteps[index] ?? {} })),
      { event_type: "step.start", index: 3, step: { type: "model_output" } },
      { event_type: "step.delta", index: 3, delta: { type: "text", text: "I " } },
      { event_type: "step.delta", index: 3, delta: { type: "text", text: "look" } },
      { event_type: "step.start", index: 4, step: { type: "function_call", id: "a", name: "read" } },
      { event_type: "step.delta", index: 4, delta: { type: "arguments_delta", arguments: '{"path":' } },
      { event_type: "step.delta", index: 4, delta: { type: "arguments_delta", arguments: '"a"}' } },
      { event_type: "interaction.completed", interaction: interaction({ status: "requires_action" }) },
    ])}data: [DONE]\n\n`,
  },
  {
    ...interactionSaid,
    name: "outputs of an interaction of the first revision",
    contentType: "text/event-stream",
    parts: [text("I look"), { type: "file", mediaType: "image/png", data: PNG }],
    answer: named([
      { event_type: "interaction.start", interaction: { id: "v1", status: "in_progress" } },
      { event_type: "content.start", index: 0, content: { type: "text" } },
      { event_type: "content.delta", index: 0, delta: { type: "text", text: "I look" } },
      { event_type: "content.delta", index: 1, delta: { type: "image", mime_type: "image/png", data: PNG } },
      { event_type: "interaction.complete", interaction: interaction({}) },
    ]),
  },
]

// Ollama, Cohere, completions, Bedrock, Vertex, embeddings.

const ndjson = (values: ReadonlyArray<Json>) => values.map((value) => `${JSON.stringify(value)}\n`).join("")

const ollamaPiece = (more: JsonObject): JsonObject => ({
  model: "m",
  created_at: "2026-01-01T00:00:00Z",
  done: false,
  ...more,
})
const ollamaEnd = { done: true, done_reason: "stop", prompt_eval_count: 20, eval_count: 9 }

const bedrockBody = { messages: [{ role: "user", content: [{ text: "The price of tea?" }] }] }
const bedrockUsage = {
  inputTokens: 10,
  outputTokens: 9,
  totalTokens: 29,
  cacheReadInputTokens: 8,
  cacheWriteInputTokens: 2,
}
const chunks = (pieces: ReadonlyArray<Json>) =>
  AwsEvents.bodyOf(
    pieces.map((piece) => ["chunk", { bytes: Buffer.from(JSON.stringify(piece)).toString("base64") }] as const),
  )

const bedrockParts = [
  thought("Tea.", { bedrock: { signature: "c2ln" } }),
  text("I look"),
  call("read", { path: "a" }, "a"),
]

const others: ReadonlyArray<Said & Pick<Fixture, "path" | "body" | "answer" | "contentType">> = [
  {
    name: "a chat of Ollama",
    path: "/api/chat",
    body: chatBody,
    contentType: "application/x-ndjson",
    live: "ollama",
    answer: ndjson([
      ollamaPiece({ message: { role: "assistant", content: "", thinking: "Tea." } }),
      ollamaPiece({ message: { role: "assistant", content: "3" } }),
      ollamaPiece({ message: { role: "assistant", content: "" }, ...ollamaEnd }),
    ]),
    parts: [thought("Tea."), text("3")],
    usage: { inputTokens: 20, outputTokens: 9 },
  },
  {
    name: "a generation of Ollama",
    path: "/api/generate",
    body: { model: "m", prompt: "Tea?" },
    contentType: "application/x-ndjson",
    answer: ndjson([
      ollamaPiece({ response: "", thinking: "Tea." }),
      ollamaPiece({ response: "3" }),
      ollamaPiece({ response: "", ...ollamaEnd, context: [1, 2] }),
    ]),
    parts: [thought("Tea."), text("3")],
    usage: { inputTokens: 20, outputTokens: 9 },
  },
  {
    name: "a completion",
    path: "/v1/completions",
    body: { model: "m", prompt: "Tea is" },
    contentType: "application/json",
    answer: JSON.stringify({
      id: "c",
      model: "m",
      choices: [{ index: 0, text: " 3", finish_reason: "stop" }],
      usage: chatCounts,
    }),
    parts: [text(" 3")],
    usage: { inputTokens: 20, outputTokens: 9 },
  },
  {
    name: "a chat of Cohere",
    path: "/v2/chat",
    body: chatBody,
    contentType: "application/json",
    answer: JSON.stringify({
      id: "co",
      finish_reason: "TOOL_CALL",
      usage: { billed_units: { input_tokens: 2, output_tokens: 1 }, tokens: { input_tokens: 20, output_tokens: 9 } },
      message: {
        role: "assistant",
        tool_plan: "I look",
        tool_calls: [{ id: "a", type: "function", function: { name: "read", arguments: A } }],
      },
    }),
    parts: [thought("I look"), call("read", { path: "a" }, "a")],
    usage: { inputTokens: 20, outputTokens: 9 },
  },
  {
    name: "a chat of Cohere as it streams",
    path: "/v2/chat",
    body: { ...chatBody, stream: true },
    contentType: "text/event-stream",
    answer: named([
      { type: "message-start", id: "co", delta: { message: { role: "assistant", content: [], tool_calls: [] } } },
      { type: "content-start", index: 0, delta: { message: { content: { type: "thinking", thinking: "" } } } },
      { type: "content-delta", index: 0, delta: { message: { content: { thinking: "Tea." } } } },
      { type: "content-end", index: 0 },
      { type: "content-start", index: 1, delta: { message: { content: { type: "text", text: "" } } } },
      { type: "content-delta", index: 1, delta: { message: { content: { text: "I look" } } } },
      ...[
        ["a", A],
        ["b", B],
      ].flatMap(
        ([id, args = ""], index): ReadonlyArray<JsonObject> => [
          {
            type: "tool-call-start",
            index,
            delta: {
              message: { tool_calls: { id: id ?? "", type: "function", function: { name: "read", arguments: "" } } },
            },
          },
          { type: "tool-call-delta", index, delta: { message: { tool_calls: { function: { arguments: args } } } } },
          { type: "tool-call-end", index },
        ],
      ),
      {
        type: "message-end",
        delta: { finish_reason: "TOOL_CALL", usage: { tokens: { input_tokens: 20, output_tokens: 9 } } },
      },
    ]),
    parts: [thought("Tea."), text("I look"), ...twoReads],
    usage: { inputTokens: 20, outputTokens: 9 },
  },
  {
    name: "a conversation with Bedrock",
    path: "/model/eu.m%3A0/converse",
    body: bedrockBody,
    contentType: "application/json",
    answer: JSON.stringify({
      output: {
        message: {
          role: "assistant",
          content: [
            { reasoningContent: { reasoningText: { text: "Tea.", signature: "c2ln" } } },
            { text: "I look" },
            { toolUse: { toolUseId: "a", name: "read", input: { path: "a" } } },
          ],
        },
      },
      stopReason: "tool_use",
      usage: bedrockUsage,
      metrics: { latencyMs: 1 },
    }),
    parts: bedrockParts,
    usage: { inputTokens: 20, outputTokens: 9, cachedTokens: 8, cacheWriteTokens: 2 },
  },
  {
    name: "a conversation with Bedrock as it streams",
    path: "/model/m/converse-stream",
    body: bedrockBody,
    contentType: AwsEvents.MEDIA_TYPE,
    answer: AwsEvents.bodyOf([
      ["messageStart", { role: "assistant" }],
      ["contentBlockDelta", { contentBlockIndex: 0, delta: { reasoningContent: { text: "Tea." } } }],
      ["contentBlockDelta", { contentBlockIndex: 0, delta: { reasoningContent: { signature: "c2ln" } } }],
      ["contentBlockStop", { contentBlockIndex: 0 }],
      ["contentBlockDelta", { contentBlockIndex: 1, delta: { text: "I " } }],
      ["contentBlockDelta", { contentBlockIndex: 1, delta: { text: "look" } }],
      ["contentBlockStart", { contentBlockIndex: 2, start: { toolUse: { toolUseId: "a", name: "read" } } }],
      ["contentBlockDelta", { contentBlockIndex: 2, delta: { toolUse: { input: '{"path":' } } }],
      ["contentBlockDelta", { contentBlockIndex: 2, delta: { toolUse: { input: '"a"}' } } }],
      ["messageStop", { stopReason: "tool_use" }],
      ["metadata", { usage: bedrockUsage, metrics: { latencyMs: 1 } }],
    ]),
    parts: bedrockParts,
    usage: { inputTokens: 20, outputTokens: 9, cachedTokens: 8, cacheWriteTokens: 2 },
  },
  {
    name: "Claude in Bedrock",
    path: "/model/m/invoke",
    contentType: "application/json",
    parts: [text("3")],
    body: { anthropic_version: "bedrock-2023-05-31", max_tokens: 9, messages },
    answer: anthropicWhole([{ type: "text", text: "3" }]).answer,
    usage: { inputTokens: 20, outputTokens: 9 },
  },
  {
    name: "Claude in Bedrock as it streams",
    path: "/model/m/invoke-with-response-stream",
    parts: [text("3")],
    body: { anthropic_version: "bedrock-2023-05-31", max_tokens: 9, messages },
    contentType: AwsEvents.MEDIA_TYPE,
    answer: chunks([
      { type: "message_start", message: { id: "m", content: [], usage: { input_tokens: 20, output_tokens: 1 } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "3" } },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } },
      { type: "message_stop", "amazon-bedrock-invocationMetrics": { inputTokenCount: 20, outputTokenCount: 9 } },
    ]),
    usage: { inputTokens: 20, outputTokens: 9 },
  },
  {
    name: "Nova in Bedrock as it streams",
    path: "/model/m/invoke-with-response-stream",
    parts: [text("3")],
    body: { ...bedrockBody, inferenceConfig: { maxTokens: 9 } },
    contentType: AwsEvents.MEDIA_TYPE,
    answer: chunks([
      { messageStart: { role: "assistant" } },
      { contentBlockDelta: { contentBlockIndex: 0, delta: { text: "3" } } },
      { messageStop: { stopReason: "end_turn" } },
      { metadata: { usage: { inputTokens: 20, outputTokens: 9 } } },
    ]),
    usage: { inputTokens: 20, outputTokens: 9 },
  },
  {
    name: "Claude in Vertex AI",
    contentType: "application/json",
    parts: [text("3")],
    path: "/v1/projects/p/locations/l/publishers/anthropic/models/claude@1:rawPredict",
    body: { anthropic_version: "vertex-2023-10-16", max_tokens: 9, messages },
    answer: anthropicWhole([{ type: "text", text: "3" }]).answer,
  },
  {
    name: "Gemini in Vertex AI",
    contentType: "application/json",
    parts: [text("3")],
    body: geminiBody,
    path: "/v1/projects/p/locations/l/publishers/google/models/m:generateContent",
    answer: JSON.stringify(geminiCandidate([{ text: "3" }])),
  },
  ...(
    [
      [
        "/v1/embeddings",
        { model: "m", input: ["tea", "salt"] },
        {
          object: "list",
          data: [
            { index: 0, embedding: [1, 2, 3] },
            { index: 1, embedding: [1, 2, 3] },
          ],
          usage: { prompt_tokens: 20, total_tokens: 20 },
        },
      ],
      [
        "/v2/embed",
        { model: "m", texts: ["tea", "salt"], input_type: "search_query" },
        {
          embeddings: {
            float: [
              [1, 2, 3],
              [1, 2, 3],
            ],
          },
          meta: { billed_units: { input_tokens: 20 } },
        },
      ],
      [
        "/api/embed",
        { model: "m", input: ["tea", "salt"] },
        {
          model: "m",
          embeddings: [
            [1, 2, 3],
            [1, 2, 3],
          ],
          prompt_eval_count: 20,
        },
      ],
    ] as ReadonlyArray<readonly [string, JsonObject, JsonObject]>
  ).map(([path, body, answer]) => ({
    name: `embeddings of ${path}`,
    path,
    body,
    contentType: "application/json",
    answer: JSON.stringify(answer),
    parts: [{ type: "item" as const, kind: "embeddings", item: { count: 2, dimensions: 3 } }],
    usage: { inputTokens: 20, outputTokens: 0 },
  })),
]

const whole = (
  provider: string,
  cases: ReadonlyArray<Said & Pick<Fixture, "path" | "body" | "answer" | "contentType">>,
) =>
  cases.map((said): Fixture => {
    const finish = said.parts.some(({ type }) => type === "call") ? "calls" : "stop"
    return { finish, ...said, name: `${provider}: ${said.name}` }
  })

/** All of them. */
export const fixtures: ReadonlyArray<Fixture> = [
  ...whole("chat completions", chat),
  ...whole("responses", responsesCases),
  ...whole("Anthropic", anthropicCases),
  ...whole("Gemini", [...geminiCases, ...geminiCalls]),
  ...whole("interactions", interactionCases),
  ...whole("others", others),
]

/** What the reader makes of an answer that came whole. */
export const read = ({ path, body, answer, contentType }: Fixture, came = answer): Answered => {
  const asked = askedBy("POST", { host: "localhost", path }, body)
  if (asked === undefined) throw new Error(`${path}: expected a request to a model`)
  const bytes = new Uint8Array(Buffer.from(came))
  const given = { status: 200, headers: { "content-type": contentType }, body: Buffer.from(came).toString("utf8") }
  return answeredBy(asked, { ...given, bytes: () => bytes, end: "clean" }, String, 0)
}

export const turnOf = (answered: Answered) => {
  if ("turn" in answered) return answered.turn
  throw new Error(`expected a turn, found ${answered.failure.kind}: ${answered.failure.reason}`)
}
