/** Encodes a text that a person wrote as a model's answer in each wire format. */

import type { Json, JsonObject } from "../values/Json.ts"
import * as AwsEvents from "./AwsEvents.ts"
import type { Address } from "./WireFormat.ts"

export interface WrittenAnswer {
  readonly contentType: string
  /** Text, or bytes for AWS's event stream. */
  readonly body: string | Uint8Array<ArrayBuffer>
}

/** Returns a text as the answer to a request in the wire format with this name. */
export const written = (wire: string, { path }: Address, body: JsonObject, text: string): WrittenAnswer => {
  const isStreamed = wire.startsWith("ollama") ? body.stream !== false : body.stream === true
  const model = body.model ?? ""
  switch (wire) {
    case "openai-responses":
      return isStreamed ? named(responsesEvents(model, text)) : whole(responsesWhole(model, text))
    case "anthropic":
      return isStreamed ? named(anthropicEvents(model, text)) : whole(anthropicWhole(model, text))
    case "gemini":
      return geminiOf(path, text)
    case "ollama":
      return isStreamed
        ? lines([ollamaPart(model, text, false), ollamaPart(model, "", true)])
        : whole(ollamaPart(model, text, true))
    case "ollama-generate":
      return isStreamed
        ? lines([generatedPart(model, text, false), generatedPart(model, "", true)])
        : whole(generatedPart(model, text, true))
    case "openai-completions":
      return isStreamed ? completionStream(model, text) : whole(completion(model, text, "stop"))
    case "gemini-interactions":
      return isStreamed ? interactionStream(model, text) : whole(interaction(model, text))
    case "cohere":
      return isStreamed ? named(cohereEvents(text)) : whole(cohereWhole(text))
    case "bedrock-converse":
      return path.endsWith("-stream") ? awsStream(converseEvents(text)) : whole(converseWhole(text))
    case "bedrock-invoke":
      return bedrockInvoked(path, body, text)
    default:
      return isStreamed ? chatStream(model, text) : whole(chatWhole(model, text))
  }
}

const whole = (value: Json): WrittenAnswer => ({ contentType: "application/json", body: JSON.stringify(value) })

const SSE = "text/event-stream"

const named = (events: ReadonlyArray<JsonObject>): WrittenAnswer => ({
  contentType: SSE,
  body: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""),
})

const lines = (values: ReadonlyArray<Json>): WrittenAnswer => ({
  contentType: "application/x-ndjson",
  body: values.map((value) => `${JSON.stringify(value)}\n`).join(""),
})

const ID = "written-by-hand"

const chatUsage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }

const chatWhole = (model: Json, content: string): Json => ({
  id: ID,
  object: "chat.completion",
  created: 0,
  model,
  usage: chatUsage,
  choices: [
    { index: 0, message: { role: "assistant", content, refusal: null }, finish_reason: "stop", logprobs: null },
  ],
})

const chatChunks = (model: Json, content: string): ReadonlyArray<Json> => {
  const chunk = (delta: Json, finish: string | null): Json => ({
    id: ID,
    object: "chat.completion.chunk",
    created: 0,
    model,
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  return [chunk({ role: "assistant", content }, null), chunk({}, "stop")]
}

const chatStream = (model: Json, content: string): WrittenAnswer => ({
  contentType: SSE,
  body: `${chatChunks(model, content)
    .map((one) => `data: ${JSON.stringify(one)}\n\n`)
    .join("")}data: [DONE]\n\n`,
})

const responsesItem = (text: string, status: string) => ({
  type: "message",
  id: ID,
  role: "assistant",
  status,
  content: status === "completed" ? [{ type: "output_text", text, annotations: [] }] : [],
})

const responsesWhole = (model: Json, text: string, status = "completed"): JsonObject => ({
  id: ID,
  object: "response",
  created_at: 0,
  status,
  model,
  error: null,
  incomplete_details: null,
  output: status === "completed" ? [responsesItem(text, status)] : [],
  usage: status === "completed" ? { input_tokens: 0, output_tokens: 0, total_tokens: 0 } : null,
})

const responsesEvents = (model: Json, text: string): ReadonlyArray<JsonObject> => {
  const at = { item_id: ID, output_index: 0, content_index: 0 }
  const events = [
    { type: "response.created", response: responsesWhole(model, text, "in_progress") },
    { type: "response.output_item.added", output_index: 0, item: responsesItem(text, "in_progress") },
    { type: "response.content_part.added", ...at, part: { type: "output_text", text: "", annotations: [] } },
    { type: "response.output_text.delta", ...at, delta: text },
    { type: "response.output_text.done", ...at, text },
    { type: "response.content_part.done", ...at, part: { type: "output_text", text, annotations: [] } },
    { type: "response.output_item.done", output_index: 0, item: responsesItem(text, "completed") },
    { type: "response.completed", response: responsesWhole(model, text) },
  ]
  return events.map((event, index) => ({ ...event, sequence_number: index }))
}

const anthropicMessage = (model: Json, content: Json, stop: string | null): JsonObject => ({
  id: ID,
  type: "message",
  role: "assistant",
  model,
  content,
  stop_reason: stop,
  stop_sequence: null,
  usage: { input_tokens: 0, output_tokens: 0 },
})

const anthropicWhole = (model: Json, text: string): Json =>
  anthropicMessage(model, [{ type: "text", text }], "end_turn")

const anthropicEvents = (model: Json, text: string): ReadonlyArray<JsonObject> => [
  { type: "message_start", message: anthropicMessage(model, [], null) },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 0 } },
  { type: "message_stop" },
]

const geminiOf = (path: string, text: string): WrittenAnswer => {
  const value: Json = {
    candidates: [{ index: 0, content: { role: "model", parts: [{ text }] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 },
  }
  if (!path.includes(":streamGenerateContent")) return whole(value)
  // Without `alt=sse` in the query, Gemini streams a JSON list.
  return path.includes("alt=sse") ? { contentType: SSE, body: `data: ${JSON.stringify(value)}\n\n` } : whole([value])
}

const ollamaPart = (model: Json, content: string, done: boolean): Json => ({
  model,
  created_at: "1970-01-01T00:00:00Z",
  message: { role: "assistant", content },
  done,
  ...(done ? { done_reason: "stop", prompt_eval_count: 0, eval_count: 0 } : {}),
})

const generatedPart = (model: Json, response: string, done: boolean): Json => ({
  model,
  created_at: "1970-01-01T00:00:00Z",
  response,
  done,
  ...(done ? { done_reason: "stop", prompt_eval_count: 0, eval_count: 0 } : {}),
})

const completion = (model: Json, text: string, finish: string | null): Json => ({
  id: ID,
  object: "text_completion",
  created: 0,
  model,
  usage: finish === null ? null : chatUsage,
  choices: [{ index: 0, text, finish_reason: finish, logprobs: null }],
})

const completionStream = (model: Json, text: string): WrittenAnswer => ({
  contentType: SSE,
  body: `${[completion(model, text, null), completion(model, "", "stop")].map((one) => `data: ${JSON.stringify(one)}\n\n`).join("")}data: [DONE]\n\n`,
})

const interaction = (model: Json, text: string, status = "completed"): JsonObject => ({
  id: ID,
  object: "interaction",
  status,
  model,
  role: "model",
  ...(status === "completed" ? { steps: [{ type: "model_output", content: [{ type: "text", text }] }] } : {}),
  ...(status === "completed" ? { outputs: [{ type: "text", text }] } : {}),
})

const interactionStream = (model: Json, text: string): WrittenAnswer => {
  const events: ReadonlyArray<JsonObject> = [
    { event_type: "interaction.created", interaction: interaction(model, text, "in_progress") },
    { event_type: "step.start", index: 0, step: { type: "model_output" } },
    { event_type: "step.delta", index: 0, delta: { type: "text", text } },
    { event_type: "step.stop", index: 0 },
    { event_type: "interaction.completed", interaction: interaction(model, text) },
  ]
  return {
    contentType: SSE,
    body: `${events.map((event) => `event: ${event.event_type}\ndata: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n`,
  }
}

const cohereUsage = { tokens: { input_tokens: 0, output_tokens: 0 } }

const cohereWhole = (text: string): Json => ({
  id: ID,
  finish_reason: "COMPLETE",
  usage: cohereUsage,
  message: { role: "assistant", content: [{ type: "text", text }] },
})

const cohereEvents = (text: string): ReadonlyArray<JsonObject> => [
  { type: "message-start", id: ID, delta: { message: { role: "assistant", content: [] } } },
  { type: "content-start", index: 0, delta: { message: { content: { type: "text", text: "" } } } },
  { type: "content-delta", index: 0, delta: { message: { content: { text } } } },
  { type: "content-end", index: 0 },
  { type: "message-end", delta: { finish_reason: "COMPLETE", usage: cohereUsage } },
]

const awsStream = (events: ReadonlyArray<readonly [string, Json]>): WrittenAnswer => ({
  contentType: AwsEvents.MEDIA_TYPE,
  body: AwsEvents.bodyOf(events),
})

const converseUsage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }

const converseWhole = (text: string): Json => ({
  stopReason: "end_turn",
  usage: converseUsage,
  metrics: { latencyMs: 0 },
  output: { message: { role: "assistant", content: [{ text }] } },
})

const converseEvents = (text: string): ReadonlyArray<readonly [string, Json]> => [
  ["messageStart", { role: "assistant" }],
  ["contentBlockDelta", { contentBlockIndex: 0, delta: { text } }],
  ["contentBlockStop", { contentBlockIndex: 0 }],
  ["messageStop", { stopReason: "end_turn" }],
  ["metadata", { usage: converseUsage, metrics: { latencyMs: 0 } }],
]

/** The request shows the format of the model in the path. */
const bedrockInvoked = (path: string, body: JsonObject, text: string): WrittenAnswer => {
  const isStreamed = path.endsWith("-response-stream")
  const chunks = (pieces: ReadonlyArray<Json>) =>
    awsStream(
      pieces.map((piece) => ["chunk", { bytes: Buffer.from(JSON.stringify(piece)).toString("base64") }] as const),
    )
  if ("anthropic_version" in body) {
    return isStreamed ? chunks(anthropicEvents(ID, text)) : whole(anthropicWhole(ID, text))
  }
  if ("inferenceConfig" in body || "schemaVersion" in body) {
    return isStreamed
      ? chunks(converseEvents(text).map(([type, payload]) => ({ [type]: payload })))
      : whole(converseWhole(text))
  }
  return isStreamed ? chunks(chatChunks(ID, text)) : whole(chatWhole(ID, text))
}
