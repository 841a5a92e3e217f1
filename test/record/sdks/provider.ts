/**
 * A provider for agents that ask for the weather by a tool and say what they were told: OpenAI's chat and Responses, Anthropic's messages
 * and Gemini, streamed and not. It answers a request without a tool's result by a call, and one with a result by a text.
 */

import * as http from "node:http"
import type { AddressInfo } from "node:net"

export const RESULT = "sunny ☀"
export const SAID = `Grüße 北京 😀: ${RESULT}`
const CITY = { city: "Zürich" }
const COST = 0.0125

const json = (value: unknown) => JSON.stringify(value)
const events = (list: ReadonlyArray<{ readonly type: string }>) =>
  list.map((event) => `event: ${event.type}\ndata: ${json(event)}\n\n`).join("")
const lines = (list: ReadonlyArray<unknown>) => list.map((one) => `data: ${json(one)}\n\n`).join("")
/** A text in three pieces, as models stream it. */
const cut = (text: string) => [text.slice(0, 3), text.slice(3, 9), text.slice(9)]

interface Asked {
  readonly model: string
  readonly isStreamed: boolean
  readonly isTold: boolean
}

const chat = ({ model, isStreamed, isTold }: Asked): string => {
  const head = { id: "chatcmpl-1", created: 1, model }
  const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18, cost: COST }
  const called = (args: string) => ({ id: "call_1", type: "function", function: { name: "weather", arguments: args } })
  const finish_reason = isTold ? "stop" : "tool_calls"
  if (!isStreamed) {
    const message = isTold
      ? { role: "assistant", content: SAID, refusal: null }
      : { role: "assistant", content: null, refusal: null, tool_calls: [called(json(CITY))] }
    return json({
      ...head,
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason, logprobs: null }],
      usage,
    })
  }
  const chunk = (delta: object, finish: string | null = null) => ({
    ...head,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: finish, logprobs: null }],
  })
  const deltas = isTold
    ? cut(SAID).map((content) => ({ content }))
    : cut(json(CITY)).map((part, index) => ({
        tool_calls: [index === 0 ? { index: 0, ...called(part) } : { index: 0, function: { arguments: part } }],
      }))
  const counted = { ...head, object: "chat.completion.chunk", choices: [], usage }
  const first = chunk({ role: "assistant", content: isTold ? "" : null })
  return `${lines([first, ...deltas.map((delta) => chunk(delta)), chunk({}, finish_reason), counted])}data: [DONE]\n\n`
}

const responses = ({ model, isStreamed, isTold }: Asked): string => {
  const text = { type: "output_text", text: SAID, annotations: [], logprobs: [] }
  const item = isTold
    ? { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [text] }
    : {
        type: "function_call",
        id: "fc_1",
        call_id: "call_1",
        name: "weather",
        arguments: json(CITY),
        status: "completed",
      }
  const response = {
    id: isTold ? "resp_2" : "resp_1",
    object: "response",
    created_at: 1,
    status: "completed",
    error: null,
    incomplete_details: null,
    instructions: null,
    model,
    output: [item],
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    usage: {
      input_tokens: 11,
      input_tokens_details: { cached_tokens: 2 },
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 18,
    },
    metadata: {},
  }
  if (!isStreamed) return json(response)
  const begun = { ...response, status: "in_progress", output: [], usage: null }
  const of = { item_id: item.id, output_index: 0 }
  const inner = isTold
    ? [
        { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress", content: [] } },
        { type: "response.content_part.added", ...of, content_index: 0, part: { ...text, text: "" } },
        ...cut(SAID).map((delta) => ({
          type: "response.output_text.delta",
          ...of,
          content_index: 0,
          delta,
          logprobs: [],
        })),
        { type: "response.output_text.done", ...of, content_index: 0, text: SAID, logprobs: [] },
        { type: "response.content_part.done", ...of, content_index: 0, part: text },
      ]
    : [
        {
          type: "response.output_item.added",
          output_index: 0,
          item: { ...item, status: "in_progress", arguments: "" },
        },
        ...cut(json(CITY)).map((delta) => ({ type: "response.function_call_arguments.delta", ...of, delta })),
        { type: "response.function_call_arguments.done", ...of, name: "weather", arguments: json(CITY) },
      ]
  const all = [
    { type: "response.created", response: begun },
    ...inner,
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response },
  ]
  return events(all.map((event, sequence_number) => ({ ...event, sequence_number })))
}

const messages = ({ model, isStreamed, isTold }: Asked): string => {
  const usage = { input_tokens: 9, cache_read_input_tokens: 2, cache_creation_input_tokens: 0, output_tokens: 7 }
  const block = isTold
    ? { type: "text", text: SAID }
    : { type: "tool_use", id: "toolu_1", name: "weather", input: CITY }
  const stop_reason = isTold ? "end_turn" : "tool_use"
  const head = { id: "msg_1", type: "message", role: "assistant", model, stop_sequence: null }
  if (!isStreamed) return json({ ...head, content: [block], stop_reason, usage })
  const deltas = isTold
    ? cut(SAID).map((text) => ({ type: "text_delta", text }))
    : cut(json(CITY)).map((partial_json) => ({ type: "input_json_delta", partial_json }))
  const started = { ...head, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } }
  return events([
    { type: "message_start", message: started },
    { type: "content_block_start", index: 0, content_block: isTold ? { ...block, text: "" } : { ...block, input: {} } },
    ...deltas.map((delta) => ({ type: "content_block_delta", index: 0, delta })),
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 7 } },
    { type: "message_stop" },
  ] as ReadonlyArray<{ readonly type: string }>)
}

const gemini = ({ model, isStreamed, isTold }: Asked): string => {
  const usageMetadata = { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 }
  const head = { modelVersion: model, responseId: isTold ? "r2" : "r1" }
  const answer = (part: object, more: object = {}) => ({
    ...head,
    candidates: [{ index: 0, content: { role: "model", parts: [part] }, ...more }],
    usageMetadata,
  })
  const end = { finishReason: "STOP" }
  if (!isTold) {
    const called = answer({ functionCall: { id: "call_1", name: "weather", args: CITY } }, end)
    return isStreamed ? lines([called]) : json(called)
  }
  if (!isStreamed) return json(answer({ text: SAID }, end))
  const [first = "", second = "", third = ""] = cut(SAID)
  return lines([answer({ text: first }), answer({ text: second }), answer({ text: third }, end)])
}

const answerTo = (path: string, body: string): string | undefined => {
  const said = JSON.parse(body)
  const named = /\/models\/([^/:]+):/.exec(path)?.[1]
  const isStreamed = said.stream === true || path.includes(":streamGenerateContent")
  const asked = { model: named ?? said.model, isStreamed, isTold: body.includes(RESULT) || body.includes(json(RESULT)) }
  if (path.endsWith("/chat/completions")) return chat(asked)
  if (path.endsWith("/responses")) return responses(asked)
  if (path.endsWith("/messages")) return messages(asked)
  return named === undefined ? undefined : gemini(asked)
}

/** Serves until it is closed. */
export const serve = async () => {
  const asked: Array<string> = []
  const server = http.createServer(async (request, response) => {
    let body = ""
    for await (const piece of request.setEncoding("utf8")) body += piece
    const [path = ""] = (request.url ?? "").split("?")
    asked.push(path)
    const answer = request.method === "POST" ? answerTo(path, body) : undefined
    if (answer === undefined) return void response.writeHead(404).end()
    const type = answer.startsWith("{") ? "application/json" : "text/event-stream"
    response.setHeader("content-type", type)
    // Cut within characters, as a network does.
    const bytes = Buffer.from(answer)
    for (let at = 0; at < bytes.byteLength; at += 97) response.write(bytes.subarray(at, at + 97))
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    /** The paths that were asked. */
    asked,
    /** What leads clients to it. */
    env: {
      OPENAI_BASE_URL: `${url}/v1`,
      ANTHROPIC_BASE_URL: url,
      GOOGLE_GEMINI_BASE_URL: url,
      OPENAI_API_KEY: "sk-openai-that-nobody-may-read",
      ANTHROPIC_API_KEY: "sk-ant-that-nobody-may-read",
      GEMINI_API_KEY: "AIza-that-nobody-may-read",
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
