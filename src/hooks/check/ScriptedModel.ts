/**
 * A model server on the loopback that answers by a script, in the formats of OpenAI (Responses, chat completions),
 * Anthropic and Gemini. It reaches no network.
 */

import * as http from "node:http"
import type { AddressInfo } from "node:net"
import type { Json, JsonObject } from "../../values/Json.ts"

/** One answer of the scripted model: a call of a tool, or its last words. */
export type ScriptedAnswer = { readonly tool: string; readonly args: JsonObject } | { readonly text: string }

export interface ScriptedModel {
  /** Without a path. */
  readonly url: string
  /** The bodies of the requests that offered tools, in order. */
  readonly requests: () => ReadonlyArray<string>
  readonly close: () => Promise<void>
}

/** Starts a server. Requests without tools get a word: clients ask for titles and summaries as well. */
export const start = async (answers: ReadonlyArray<ScriptedAnswer>): Promise<ScriptedModel> => {
  const requests: Array<string> = []
  const server = http.createServer((request, response) => {
    const pieces: Array<Buffer> = []
    request.on("data", (piece: Buffer) => pieces.push(piece))
    request.on("error", () => response.destroy())
    request.on("end", () => {
      const body = Buffer.concat(pieces).toString("utf8")
      const path = (request.url ?? "").split("?")[0] ?? ""
      const format = FORMATS.find(({ at }) => at.test(path))
      if (request.method !== "POST" || format === undefined) return send(response, otherwise(path))
      const offers = /"(?:tools|functionDeclarations)"\s*:\s*\[\s*\{/.test(body)
      const answer = offers ? (answers[requests.length] ?? { text: "done" }) : { text: "done" }
      if (offers) requests.push(body)
      const id = `${requests.length}-${offers ? "main" : "side"}`
      if (/:generateContent$/.test(path)) return send(response, format.events(answer, id)[0] ?? {})
      // Anthropic's and OpenAI's clients ask for a whole answer by leaving `stream` out.
      if (!/"stream"\s*:\s*true/.test(body) && !/:streamGenerateContent$/.test(path))
        return send(response, format.whole(answer, id))
      response.writeHead(200, { "content-type": "text/event-stream" })
      for (const event of format.events(answer, id)) {
        const name = format.isNamed ? `event: ${String(event.type)}\n` : ""
        response.write(`${name}data: ${JSON.stringify(event)}\n\n`)
      }
      response.end(format.end)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const send = (response: http.ServerResponse, value: Json): void => {
  response.writeHead(200, { "content-type": "application/json" })
  response.end(JSON.stringify(value))
}

/** Answers to clients' other requests: lists of models, counts of tokens. */
const otherwise = (path: string): JsonObject =>
  path.endsWith("models") ? { object: "list", data: [{ id: "scripted", object: "model" }], models: [] } : {}

interface Format {
  readonly at: RegExp
  readonly events: (answer: ScriptedAnswer, id: string) => ReadonlyArray<JsonObject>
  readonly whole: (answer: ScriptedAnswer, id: string) => JsonObject
  /** Whether each event has a line with its name. */
  readonly isNamed: boolean
  /** The end of a stream. */
  readonly end: string
}

const isCall = (answer: ScriptedAnswer): answer is Extract<ScriptedAnswer, { readonly tool: string }> =>
  "tool" in answer

const responses: Format = {
  at: /\/responses$/,
  isNamed: true,
  end: "",
  events: (answer, id) => {
    const item = itemOf(answer, id)
    return [
      { type: "response.created", response: { id: `resp_${id}` } },
      { type: "response.output_item.added", output_index: 0, item },
      ...(isCall(answer)
        ? []
        : [
            {
              type: "response.output_text.delta",
              item_id: `item_${id}`,
              output_index: 0,
              content_index: 0,
              delta: answer.text,
            },
          ]),
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: responses.whole(answer, id) },
    ]
  },
  whole: (answer, id) => ({
    id: `resp_${id}`,
    output: [itemOf(answer, id)],
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  }),
}

const itemOf = (answer: ScriptedAnswer, id: string): JsonObject =>
  isCall(answer)
    ? {
        type: "function_call",
        id: `item_${id}`,
        call_id: `call_${id}`,
        name: answer.tool,
        arguments: JSON.stringify(answer.args),
      }
    : {
        type: "message",
        role: "assistant",
        id: `item_${id}`,
        content: [{ type: "output_text", text: answer.text, annotations: [] }],
      }

const chat: Format = {
  at: /\/chat\/completions$/,
  isNamed: false,
  end: "data: [DONE]\n\n",
  events: (answer, id) => {
    const base = { id: `chat_${id}`, object: "chat.completion.chunk", created: 1, model: "scripted" }
    const message = messageOf(answer, id)
    return [
      { ...base, choices: [{ index: 0, delta: message, finish_reason: null }] },
      {
        ...base,
        choices: [{ index: 0, delta: {}, finish_reason: finishOf(answer) }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      },
    ]
  },
  whole: (answer, id) => ({
    id: `chat_${id}`,
    object: "chat.completion",
    created: 1,
    model: "scripted",
    choices: [{ index: 0, message: messageOf(answer, id), finish_reason: finishOf(answer) }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }),
}

const finishOf = (answer: ScriptedAnswer): string => (isCall(answer) ? "tool_calls" : "stop")

const messageOf = (answer: ScriptedAnswer, id: string): JsonObject => ({
  role: "assistant",
  ...(isCall(answer)
    ? {
        tool_calls: [
          {
            index: 0,
            id: `call_${id}`,
            type: "function",
            function: { name: answer.tool, arguments: JSON.stringify(answer.args) },
          },
        ],
      }
    : { content: answer.text }),
})

const anthropic: Format = {
  at: /\/v1\/messages$/,
  isNamed: true,
  end: "",
  events: (answer, id) => {
    const { content: _, stop_reason, ...message } = anthropic.whole(answer, id)
    const block = isCall(answer)
      ? { type: "tool_use", id: `toolu_${id}`, name: answer.tool, input: {} }
      : { type: "text", text: "" }
    const delta = isCall(answer)
      ? { type: "input_json_delta", partial_json: JSON.stringify(answer.args) }
      : { type: "text_delta", text: answer.text }
    return [
      { type: "message_start", message: { ...message, content: [], stop_reason: null } },
      { type: "content_block_start", index: 0, content_block: block },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: stop_reason ?? null, stop_sequence: null },
        usage: { output_tokens: 1 },
      },
      { type: "message_stop" },
    ]
  },
  whole: (answer, id) => ({
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model: "scripted",
    content: [
      isCall(answer)
        ? { type: "tool_use", id: `toolu_${id}`, name: answer.tool, input: answer.args }
        : { type: "text", text: answer.text },
    ],
    stop_reason: isCall(answer) ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 },
  }),
}

const gemini: Format = {
  at: /:(?:streamGenerateContent|generateContent)$/,
  isNamed: false,
  end: "",
  events: (answer, id) => [gemini.whole(answer, id)],
  whole: (answer, id) => ({
    candidates: [
      {
        index: 0,
        content: {
          role: "model",
          parts: [
            isCall(answer) ? { functionCall: { name: answer.tool, args: answer.args, id } } : { text: answer.text },
          ],
        },
        finishReason: "STOP",
      },
    ],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    modelVersion: "scripted",
    responseId: id,
  }),
}

const FORMATS: ReadonlyArray<Format> = [responses, chat, anthropic, gemini]
