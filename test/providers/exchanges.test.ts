import * as zlib from "node:zlib"
import { describe, expect, it } from "vitest"
import type { AnswerPart, Message } from "../../src/agents/models/Message.ts"
import { answeredBy, askedBy } from "../../src/providers/WireFormats.ts"
import { bytesOf, cases, type Exchange, pathOf } from "../record/proxy/exchanges.ts"

const part = (said: AnswerPart | Message["content"][number]): string => {
  if ("content" in said) return `${said.tool} gave ${JSON.stringify(said.content)}`
  if (said.type === "call" || said.type === "hosted") return `${said.tool}(${JSON.stringify(said.args)})`
  return said.type === "text" || said.type === "reasoning" ? `${said.type}: ${said.text}` : said.type
}

/** What an exchange is read as: who is asked, the last that they are told, the thread, and what came of it. */
const readAs = (exchange: Exchange): ReadonlyArray<string> => {
  const address = { host: "127.0.0.1", path: pathOf(exchange).replace(/\?.*/, "") }
  const method = exchange.line.split(" ")[0] ?? ""
  const asked = askedBy(method, address, JSON.parse(exchange.body))
  if (asked === undefined) return ["nothing"]
  const { provider, model, messages, thread } = asked.request
  const [, status = ""] = /^HTTP\/1\.1 (\d+)/.exec(exchange.head) ?? []
  const [, type = ""] = /^content-type: (.*)$/im.exec(exchange.head) ?? []
  // A client, and a recording, get the body without its compression.
  const sent = bytesOf(exchange.answer)
  const bytes = /^content-encoding: gzip/im.test(exchange.head) ? zlib.gunzipSync(sent) : sent
  const body = Buffer.from(bytes).toString("utf8")
  const came = { status: Number(status), headers: { "content-type": type.trim() }, body, bytes: () => bytes }
  const answered = answeredBy(asked, { ...came, end: "clean" }, String, 0)
  const told = messages.flatMap(({ role, content }) => content.map((one) => `${role}: ${part(one)}`)).at(-1)
  const after = thread?.after === undefined ? [] : [`after ${thread.after}`]
  const asking = [`${asked.wire.name} ${provider}/${model}`, ...after, told ?? "nothing is told"]
  if (!("turn" in answered)) return [...asking, `${answered.failure.kind}: ${answered.failure.reason}`]
  const { parts, finish, usage, unread } = answered.turn
  expect(unread).toEqual([])
  expect(usage).toMatchObject(usage.unknown === undefined ? { inputTokens: 11, outputTokens: 7 } : {})
  return [...asking, ...parts.map(part), finish]
}

const GREETING = "text: Grüße 北京 😀"
const CALL = 'weather({"city":"Zürich"})'
const THOUGHT = "reasoning: "

/** By the client: what each of its exchanges is read as. */
const expected: { readonly [name: string]: ReadonlyArray<ReadonlyArray<string>> } = {
  "anthropic-tool-runner-thread-lost": [
    ["anthropic anthropic/m", "user: text: w?", GREETING, CALL, "calls"],
    ["anthropic anthropic/m", "after msg_1", 'tool:  gave "sunny"', "invalid-request: HTTP 400: x"],
    ["anthropic anthropic/m", 'tool: weather gave "sunny"', GREETING, "stop"],
  ],
  "boto3-converse-stream": [["bedrock-converse aws/m", "user: text: hi", GREETING, "stop"]],
  "boto3-retry-pair": [
    ["bedrock-converse aws/m", "user: text: hi", "overloaded: HTTP 500: x"],
    ["bedrock-converse aws/m", "user: text: hi", GREETING, "stop"],
  ],
  "boto3-sigv4-converse-two-turns": [
    ["bedrock-converse aws/us.anthropic.claude-x-v1:0", `user: ${GREETING} </x>`, GREETING, CALL, "calls"],
    [
      "bedrock-converse aws/arn:aws:bedrock:us-east-1:123456789012:inference-profile/abc",
      ...['tool: weather gave [{"text":"sunny ☀"}]', GREETING, "stop"],
    ],
  ],
  "claude-agent-sdk-tool-turn": [
    [
      ...["anthropic anthropic/claude-sonnet-4-5", "user: text: Grüße weather?", "text: Hello"],
      ...['mcp__w__weather({"city":"Zürich"})', "calls"],
    ],
    [
      "anthropic anthropic/claude-sonnet-4-5",
      'tool: mcp__w__weather gave [{"type":"text","text":"sunny ☀\\n"},{"type":"text","text":"<system-reminder>…</system-reminder>"}]',
      ...["text: Hello", "stop"],
    ],
  ],
  "google-genai-auto-function-calling": [
    ["gemini google/gemini-test", "user: text: weather?", CALL, "calls"],
    ["gemini google/gemini-test", 'tool: weather gave {"result":"sunny ☀"}', GREETING, "stop"],
  ],
  "google-genai-interactions-two-turns": [
    ["gemini-interactions google/gemini-test", "user: text: hi", "text: hello", "stop"],
    ["gemini-interactions google/gemini-test", "after int_1", "user: text: more", "text: hello", "stop"],
  ],
  "langgraph-chatopenai-responses-tool-turns": [
    ["openai-responses openai-compatible/gpt-5", "user: text: Grüße weather?", THOUGHT, CALL, "calls"],
    ["openai-responses openai-compatible/gpt-5", 'tool: weather gave "sunny ☀"', THOUGHT, GREETING, "stop"],
  ],
  "mistral-second-turn": [["openai-chat openai-compatible/m", 'tool: weather gave "sunny ☀"', GREETING, "stop"]],
  "openai-agents-previous-response-id": [
    ["openai-responses openai-compatible/gpt-4o", "user: text: weather?", THOUGHT, CALL, "calls"],
    [
      ...["openai-responses openai-compatible/gpt-4o", "after resp_1", 'tool:  gave "sunny ☀"'],
      ...[THOUGHT, GREETING, "stop"],
    ],
    ["openai-responses openai-compatible/gpt-4o", "after resp_2", "user: text: more", THOUGHT, CALL, "calls"],
    [
      ...["openai-responses openai-compatible/gpt-4o", "after resp_3", 'tool:  gave "sunny ☀"'],
      ...[THOUGHT, GREETING, "stop"],
    ],
  ],
  "openai-chat-second-turn": [
    ["openai-chat openai-compatible/m", "user: text: hi", CALL, "calls"],
    ["openai-chat openai-compatible/m", 'tool: weather gave "sunny"', GREETING, "stop"],
  ],
  // The server ended the stream as if it were whole, and the client noticed nothing.
  "openai-chat-stream-cut-cleanly": [
    [
      ...["openai-chat openai-compatible/m", "user: text: hi"],
      "cut-off: The answer ended without saying that it is whole",
    ],
  ],
  "openai-gzip-answer": [["openai-chat openai-compatible/m", "user: text: hi", GREETING, "stop"]],
  "openai-responses-no-final-newline": [["openai-responses openai-compatible/m", "user: text: hi", GREETING, "stop"]],
  "openai-retry-pair": [
    ["openai-chat openai-compatible/m", "nothing is told", "overloaded: HTTP 500: x"],
    ["openai-chat openai-compatible/m", "nothing is told", GREETING, "stop"],
  ],
  "pydantic-ai-anthropic-claude-sonnet-4-5": [
    [
      ...["anthropic anthropic/claude-sonnet-4-5", "user: text: Grüße weather?"],
      ...["reasoning: hmm", GREETING, CALL, "calls"],
    ],
    [
      ...["anthropic anthropic/claude-sonnet-4-5", 'tool: weather gave [{"text":"sunny ☀","type":"text"}]'],
      ...["reasoning: hmm", GREETING, "stop"],
    ],
  ],
  "smolagents-openaiservermodel": [
    ["openai-chat openai-compatible/gpt-4o", "user: text: New task:\nGrüße weather?", CALL, "calls"],
    [
      ...["openai-chat openai-compatible/gpt-4o", "user: text: Observation:\nsunny ☀"],
      ...['final_answer({"answer":"done ☀"})', "calls"],
    ],
  ],
}

describe("what a client sent and was answered", () => {
  it("is read for every client: what is told, which tools are called, and what came of it", () => {
    const read = Object.entries(cases).map(([name, { exchanges }]) => [name, exchanges.map(readAs)])
    expect(Object.fromEntries(read)).toEqual(expected)
  })
})
